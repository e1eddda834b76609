import { basename, extname, resolve } from "node:path";
import type { StoredIndex } from "../../../catalog-store/open.ts";
import type { CatalogNews, FollowedCatalog, FollowedCatalogOptions } from "../../../engine/followed-catalog.ts";
import { goDuration } from "@purser/kubernetes/go-duration";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { systemEntropy } from "@purser/kubernetes/system/system-entropy";
import type { Poll } from "../../../catalog/content.ts";
import type { ReadPullSecrets } from "../../../content/pull-secrets.ts";
import { shellWord } from "../../../explanation/summary.ts";
import { isLocalReference } from "../../../image/layout/local-reference.ts";
import { catalogNameProblem } from "../../../registry-api/http/request-path.ts";
import { cacheDirectoryOf } from "../../cache-directory.ts";
import { type Invocation, type Outcome, type SubcommandSpec, textOption, UsageError } from "../../command.ts";
import { exitCodes } from "../../exit-code.ts";
import { hostAndPort } from "../../host-and-port.ts";
import { type LocalContent, withImagePaths, withLocalContent } from "../../image/local-content.ts";
import { namedContent } from "../../image/named-content.ts";
import { reportedImages } from "../../image/reported-images.ts";
import { type ServeEvent, serveReport } from "./serve-report.ts";

/** `purser catalog serve REF`: serves the gRPC and the HTTP catalog API from one index until it is stopped. */
export const serveCommand: SubcommandSpec = {
  name: "serve",
  summary: "Serve a catalog over the registry API (gRPC) and the catalog API of OLM v1 (HTTP)",
  description: [
    "Runs until it is stopped (Ctrl-C). A change of the files is served within 5 seconds;",
    "invalid content is reported, and the last valid content is served until it is corrected.",
    "The tag of an image is resolved again every --poll-interval; while the registry cannot be reached,",
    "the last content is served.",
  ].join("\n"),
  arguments: [{ name: "ref", summary: "directory, file or image of the catalog", required: true }],
  options: [
    { flags: "--grpc ADDRESS", summary: "HOST:PORT of the registry API, or none (default 127.0.0.1:50051)" },
    { flags: "--http ADDRESS", summary: "HOST:PORT of the HTTP API, or none (default 127.0.0.1:8080)" },
    {
      flags: "--poll-interval DURATION",
      summary: "time between two looks at the tag of an image (default 10m, at least 1s)",
    },
    { flags: "--name NAME", summary: "name of the catalog in HTTP paths (default: the name of the directory)" },
  ],
  examples: [
    ["purser catalog serve ./catalog", "both APIs on this machine"],
    ["purser catalog serve ./catalog --grpc :50051 --http none", "the registry API on all interfaces"],
  ],
  run: serve,
};

interface Address {
  readonly host: string;
  readonly port: number;
}

async function serve(invocation: Invocation): Promise<Outcome> {
  const [reference = ""] = invocation.arguments;
  const grpc = addressOf(invocation, "grpc", "127.0.0.1:50051");
  const http = addressOf(invocation, "http", "127.0.0.1:8080");
  if (grpc === undefined && http === undefined)
    throw new UsageError("--grpc none and --http none leave nothing to serve");
  const name = nameOf(invocation, reference);
  const poll = pollOf(invocation, reference);
  return withLocalContent(invocation, [reference], "catalog", (content) =>
    serveContent(invocation, content, { name, grpc, http, poll }),
  );
}

interface Served {
  readonly name: string;
  readonly grpc: Address | undefined;
  readonly http: Address | undefined;
}

async function serveContent(
  invocation: Invocation,
  content: LocalContent,
  { name, grpc, http, poll }: Served & { readonly poll: Poll | undefined },
): Promise<Outcome> {
  const { terminal, signal } = invocation;
  const { reference } = content;
  const report = serveReport(invocation);
  // Loaded only here: no other command follows a catalog.
  const { followCatalog } = await import("../../../engine/followed-catalog.ts");
  const cache = await cacheDirectoryOf(terminal);
  const catalog = followCatalog({
    name,
    from: followedContent(invocation, content, poll),
    cacheDirectory: cache.path,
    clock: systemClock,
    refusal: ({ header }) => (grpc === undefined ? undefined : header.registryRefusal),
  });
  const closing: (() => Promise<void>)[] = [];
  try {
    const news = catalog.news(signal);
    const first = await news.next();
    if (first.done === true) return { exitCode: exitCodes.done };
    // Without valid content there is nothing to serve, so the command ends instead of waiting for a change.
    if (first.value.kind === "refused") {
      const { unwritableRemedy } = await import("../../../content/directory-index.ts");
      const remedy =
        first.value.remedy === unwritableRemedy
          ? "free space there, or set PURSER_CACHE_DIR to another directory, and start again"
          : `purser catalog validate ${shellWord(reference)}  lists all problems; correct them and start again`;
      const cause = withImagePaths(content, first.value.cause);
      report({ kind: "failed", cause, ...(first.value.remedy === undefined ? {} : { remedy }) });
      return { exitCode: exitCodes.failed };
    }
    const listening = await listen({ catalog, name, grpc, http, closing, report });
    if (!listening.ok) {
      report({ kind: "failed", ...listening.problem });
      return { exitCode: exitCodes.failed };
    }
    report({ kind: "ready", ...listening.value });
    report(eventOf(first.value));
    for await (const next of news) report(eventOf(next));
    report({ kind: "stopping" });
    return { exitCode: exitCodes.done };
  } finally {
    await Promise.all(closing.map((close) => close()));
    await catalog.stop();
    await cache.close();
  }
}

function followedContent(
  invocation: Invocation,
  { reference, path, images }: LocalContent,
  poll: Poll | undefined,
): FollowedCatalogOptions["from"] {
  if (images === undefined) return { path: resolve(path) };
  const access = { images: reportedImages(images, invocation), entropy: systemEntropy, pullSecrets: noPullSecrets };
  return { reference, access, ...(poll === undefined ? {} : { poll }) };
}

/** A command has the credentials of this machine only, and requests no others. */
const noPullSecrets: ReadPullSecrets = () => Promise.resolve({ auths: [], complaints: [] });

interface Listening extends Served {
  readonly catalog: FollowedCatalog;
  /** Functions that are called at the end; `listen` adds one for each listener. */
  readonly closing: (() => Promise<void>)[];
  readonly report: (event: ServeEvent) => void;
}

/** Opens the listeners and returns their addresses; the problem says which one cannot be opened. */
async function listen({
  catalog,
  name,
  grpc,
  http,
  closing,
  report,
}: Listening): Promise<
  Result<{ readonly grpc?: string; readonly http?: string }, { readonly cause: string; readonly remedy: string }>
> {
  const addresses: { grpc?: string; http?: string } = {};
  if (grpc !== undefined) {
    const { serveRegistry } = await import("../../../registry-api/grpc/registry-server.ts");
    const index = (): StoredIndex | undefined => catalog.current()?.index;
    const started = await serveRegistry({ index, clock: systemClock }, grpc);
    if (!started.ok) {
      const cause = `Cannot listen on ${shown(grpc)}: ${started.problem}`;
      return failed({ cause, remedy: "--grpc HOST:PORT  names another" });
    }
    closing.push(() => started.value.stop());
    addresses.grpc = started.value.address;
  }
  if (http !== undefined) {
    const { serveCatalogs } = await import("../../../registry-api/http/catalog-listener.ts");
    const { servedIndex } = await import("../../../registry-api/http/served-catalog.ts");
    const started = await serveCatalogs(
      {
        catalog: (wanted) => {
          const current = wanted === name ? catalog.current() : undefined;
          return current === undefined ? undefined : servedIndex(current.index, current.sinceMs);
        },
        metas: true,
        clock: systemClock,
        entropy: systemEntropy,
        onAnswer: ({ target, problem }) => {
          if (problem !== undefined) report({ kind: "unanswered", target, cause: problem });
        },
      },
      http,
    );
    if (!started.ok) {
      const cause = `Cannot listen on ${shown(http)}: ${started.problem.message}`;
      return failed({ cause, remedy: "--http HOST:PORT  names another" });
    }
    closing.push(() => started.value.stop());
    addresses.http = `${started.value.origin}/catalogs/${name}/api/v1/all`;
  }
  return done(addresses);
}

function eventOf(news: CatalogNews): ServeEvent {
  if (news.kind === "current") {
    const { digest, packageCount, bundleCount } = news.index.header;
    return { kind: "serving", digest, packages: packageCount, bundles: bundleCount };
  }
  const { cause, remedy } = news;
  return { kind: "refused", cause, ...(remedy === undefined ? {} : { remedy }) };
}

function shown({ host, port }: Address): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}

function addressOf(invocation: Invocation, option: string, fallback: string): Address | undefined {
  const text = textOption(invocation, option) ?? fallback;
  if (text === "none") return undefined;
  const [host, port] = hostAndPort(text);
  if (port === undefined)
    throw new UsageError(
      `--${option} "${text}" is not an address`,
      "write HOST:PORT, :PORT for all interfaces, or none",
    );
  return { host, port };
}

const defaultPollMs = 10 * 60_000;
const leastPollMs = 1000;

/** When the tag of an image is looked up again; undefined for what is not in a registry, and for a digest. @throws UsageError */
function pollOf(invocation: Invocation, reference: string): Poll | undefined {
  const given = textOption(invocation, "poll-interval");
  const isInRegistry = namedContent(reference).kind === "image" && !isLocalReference(reference);
  if (given !== undefined && (!isInRegistry || reference.includes("@")))
    throw new UsageError(
      `--poll-interval requires the tag of an image in a registry, but ${shellWord(reference)} is not one`,
      isInRegistry
        ? "leave it out: the content of a digest does not change"
        : "leave it out: changes of files are noticed without it",
    );
  if (!isInRegistry || reference.includes("@")) return undefined;
  const parsed = given === undefined ? done(defaultPollMs) : goDuration(given);
  if (!parsed.ok) throw new UsageError(`--poll-interval: ${parsed.problem}`, "write it as 90s, 10m or 1h30m");
  if (parsed.value < leastPollMs) throw new UsageError(`--poll-interval ${given} is shorter than 1s`);
  return { everyMs: parsed.value, jitter: [0.9, 1.1] };
}

/** The value of `--name`, else a valid catalog name made of the file's base name, else `catalog`. */
function nameOf(invocation: Invocation, reference: string): string {
  const given = textOption(invocation, "name");
  if (given !== undefined) {
    const complaint = catalogNameProblem(given);
    if (complaint !== undefined) throw new UsageError(`--name "${given}": ${complaint}`);
    return given;
  }
  const path =
    namedContent(reference).kind === "image"
      ? reference.replace(/^(?:docker:\/\/|oci:|oci-archive:|docker-archive:)/, "").replace(/[:@][^/]*$/, "")
      : resolve(reference);
  const ending = /^\.(?:json|ya?ml)$/.test(extname(path)) ? extname(path) : "";
  const own = basename(path, ending)
    .toLowerCase()
    .replaceAll(/[^a-z0-9.-]+/g, "-")
    .replaceAll(/^[-.]+|[-.]+$/g, "");
  return catalogNameProblem(own) === undefined ? own : "catalog";
}
