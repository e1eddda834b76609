import { appendFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fatal, logRecord, type OpmAnswer } from "../../catalog/opm/answer.ts";
import type { StoredIndex } from "../../catalog-store/open.ts";
import { formatTime } from "@purser/kubernetes/clock";
import type { ParsedFlags } from "./flags.ts";
import { type FetchedImages, imageProblemText } from "./fetched-images.ts";
import { withFetchedImages } from "./pulling-first.ts";
import {
  flagSet,
  flagText,
  type LongOpmCommand,
  type OpmWorld,
  type RunningWorld,
  transportProblem,
} from "./opm-command.ts";

export const serve: LongOpmCommand = {
  path: "serve",
  usage: "<source_path | catalog-image>",
  summary: "serve a file-based catalog over gRPC",
  words: [1, 1],
  flags: [
    { name: "port", short: "p", value: "PORT", initial: "50051", summary: "port to listen on, on all interfaces" },
    {
      name: "cache-dir",
      value: "DIR",
      summary: "keep the cache here (default: a directory that is removed at the end)",
    },
    { name: "cache-only", summary: "build or refresh the cache and end" },
    {
      name: "cache-enforce-integrity",
      summary:
        "refuse a cache that does not belong to the catalog (default: with --cache-dir and without --cache-only)",
    },
    {
      name: "pprof-addr",
      value: "ADDRESS",
      initial: "localhost:6060",
      summary: "address of the profiles; empty: none",
    },
    { name: "pprof-capture-profiles", summary: "profile the time until the catalog is served" },
    {
      name: "termination-log",
      short: "t",
      value: "FILE",
      initial: "/dev/termination-log",
      summary: "append why it ended to this file",
    },
    { name: "debug", summary: "log more" },
  ],
  run: runServe,
};

type Fields = Readonly<Record<string, string>>;

async function runServe(parsed: ParsedFlags, world: RunningWorld): Promise<OpmAnswer> {
  const transport = transportProblem(parsed);
  if (transport !== undefined) return fatal(transport);
  return withFetchedImages(parsed.words, "catalog", parsed, world, (images) => runServeOn(images, parsed, world));
}

async function runServeOn(images: FetchedImages, parsed: ParsedFlags, world: OpmWorld): Promise<OpmAnswer> {
  const log = (level: "info" | "warning", message: string, fields: Fields = {}): void =>
    world.err(`time="${formatTime(world.clock.now())}" ${logRecord(level, message, fields)}`);
  const pulled = images.get(parsed.words[0] ?? "");
  const answer =
    pulled?.ok === false
      ? imageProblemText(parsed.words[0] ?? "", pulled.problem)
      : await serving(parsed, pulled?.value.directory ?? parsed.words[0] ?? "", world, log);
  if (typeof answer === "number") return { exit: 0, stdout: "", stderr: "" };
  const file = flagText(parsed, "termination-log", "/dev/termination-log");
  try {
    if (file !== "") appendFileSync(file, `${answer}\n`);
  } catch {
    // A warning about the termination log was already printed at the start.
  }
  return fatal(answer);
}

/** Serves until it is stopped; returns upstream's error text when it cannot start. */
async function serving(
  parsed: ParsedFlags,
  root: string,
  world: OpmWorld,
  log: (level: "info" | "warning", message: string, fields?: Fields) => void,
): Promise<string | 0> {
  const { clock, signal } = world;
  const debug = flagSet(parsed, "debug");
  const profileAddress = flagText(parsed, "pprof-addr", "localhost:6060");
  const { serveProfiles } = await import("./profile-endpoint.ts");
  const captureStart = flagSet(parsed, "pprof-capture-profiles");
  const profiles =
    profileAddress === "" ? undefined : await serveProfiles(profileAddress, { captureStart, clock, argv: world.argv });
  if (profiles?.ok === false) return `could not start pprof endpoint: ${profiles.problem}`;
  let temporary: string | undefined;
  try {
    const terminationLog = flagText(parsed, "termination-log", "/dev/termination-log");
    try {
      if (terminationLog !== "") appendFileSync(terminationLog, "");
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      log("warning", "unable to set termination log path", { error: reason });
    }
    const given = flagText(parsed, "cache-dir");
    const cacheOnly = flagSet(parsed, "cache-only");
    const enforceIntegrity = parsed.values.has("cache-enforce-integrity")
      ? flagSet(parsed, "cache-enforce-integrity")
      : given !== "" && !cacheOnly;
    if (given === "" && enforceIntegrity) return "--cache-dir must be specified with --cache-enforce-integrity";
    if (given === "")
      temporary = await process.getBuiltinModule("node:fs/promises").mkdtemp(join(tmpdir(), "opm-serve-cache-"));
    const directory = given === "" ? (temporary ?? "") : given;
    const fields = { cache: directory, configs: parsed.words[0] ?? "" };
    const { openServeCache } = await import("./serve-cache.ts");
    const opened = await openServeCache({
      root,
      directory,
      enforceIntegrity,
      signal,
      onRebuild: (reason) => {
        if (debug) log("info", `rebuilding cache: ${reason}`, fields);
      },
    });
    if (!opened.ok) return opened.problem;
    const index = opened.value;
    try {
      if (cacheOnly) return 0;
      return await answerUntilStopped(
        parsed,
        world,
        { index, ready: () => profiles?.value.ready() },
        (level, message, more) => log(level, message, { ...fields, ...more }),
      );
    } finally {
      index.close();
    }
  } catch (error) {
    if (signal.aborted) return 0;
    throw error;
  } finally {
    await profiles?.value.close();
    if (temporary !== undefined)
      await process.getBuiltinModule("node:fs/promises").rm(temporary, { recursive: true, force: true });
  }
}

async function answerUntilStopped(
  parsed: ParsedFlags,
  { clock, signal }: OpmWorld,
  { index, ready }: { readonly index: StoredIndex; readonly ready: () => Promise<void> | undefined },
  log: (level: "info" | "warning", message: string, fields?: Fields) => void,
): Promise<string | 0> {
  const port = flagText(parsed, "port", "50051");
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535)
    return `failed to listen: listen tcp: address ${port}: invalid port`;
  const { serveRegistry } = await import("../../registry-api/grpc/registry-server.ts");
  const server = await serveRegistry(
    {
      index: () => index,
      clock,
      onStart: (path, peer) => log("info", "started call", { port, ...callFields(path, peer) }),
      onEnd: ({ path, peer, code, message, tookMs }) =>
        log("info", "finished call", {
          port,
          ...callFields(path, peer),
          "grpc.code": code,
          "grpc.time_ms": tookMs.toFixed(3),
          ...(message === "" ? {} : { "grpc.error": message }),
        }),
    },
    { host: "::", port: Number(port) },
  );
  if (!server.ok) return `failed to listen: ${server.problem}`;
  await ready();
  log("info", "serving registry", { port });
  await aborted(signal);
  await server.value.stop();
  return 0;
}

function callFields(path: string, peer: string): Fields {
  const [, service = "", method = ""] = path.split("/");
  return { "grpc.service": service, "grpc.method": method, "peer.address": peer };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
