import { systemClock } from "@purser/kubernetes/system/system-clock";
import type { JsonObject } from "@purser/kubernetes/json";
import { done, type Result } from "@purser/kubernetes/result";
import { sizeText } from "../../explanation/summary.ts";
import type { CauseCode, Explanation } from "../../explanation/explanation.ts";
import type { BuiltImage } from "../../image/build/built-image.ts";
import type { BuildOptions } from "../../image/build/catalog-image.ts";
import { type ImageTarget, parseTarget } from "../../image/build/image-target.ts";
import { prepareSigning, type Signing } from "./signing.ts";
import type { ImageProblem } from "../../image/image-problem.ts";
import { type Invocation, type Outcome, textOption } from "../command.ts";
import { exitCodes } from "../exit-code.ts";
import { shown } from "../output/shown.ts";
import { withoutImage } from "./image-refusal.ts";
import { openTarget } from "./open-target.ts";
import { transferEvents } from "./transfer-events.ts";

export interface Push {
  /** What the image holds; names the cause of a refusal. */
  readonly content: "catalog" | "bundle";
  /** The report on broken content, which is not written; undefined when it is valid. */
  readonly refusal: () => Outcome | undefined;
  /** Packs the content, which is valid. The problem is a sentence. */
  readonly build: (options: BuildOptions) => Promise<Result<BuiltImage, string>>;
}

/** Builds an image and writes it where the second argument says. */
export async function pushImage(invocation: Invocation, { content, refusal, build }: Push): Promise<Outcome> {
  const { terminal, signal } = invocation;
  const [path = "", reference = ""] = invocation.arguments;
  const report = transferEvents(invocation, systemClock);
  const parsed = parseTarget(reference);
  if (!parsed.ok) return withoutImage(content, parsed.problem);
  const file = textOption(invocation, "sign");
  const signing = await prepareSigning({
    file,
    identity: textOption(invocation, "sign-identity"),
    target: parsed.value,
    reference,
    passphrase() {
      const given = terminal.env["COSIGN_PASSWORD"];
      return given === undefined ? terminal.ask(`Passphrase of ${file}: `, { isSecret: true }) : Promise.resolve(given);
    },
  });
  signal.throwIfAborted();
  if (!signing.ok) return withoutImage(content, signing.problem);
  const refused = refusal();
  if (refused !== undefined) return refused;
  const image = await build({
    signal,
    onProgress: (bytes) => {
      report?.({ kind: "packing", reference, bytes });
      terminal.progress(`packing ${path}  ${sizeText(bytes)}`);
    },
  });
  terminal.progress("");
  if (!image.ok) return { explanation: cannotPack(content, path, image.problem) };
  const opened = await openTarget(parsed.value, reference, terminal.env);
  if (!opened.ok) return withoutImage(content, opened.problem);
  const target = opened.value;
  try {
    const written = await write(invocation, image.value, target, { name: parsed.value.name, signing: signing.value });
    terminal.progress("");
    if (!written.ok) return withoutImage(content, written.problem);
    const { digest } = image.value.manifest.descriptor;
    const { size } = image.value;
    const signature = written.value;
    const data: JsonObject = {
      apiVersion: "purser.dev/v1alpha1",
      kind: "PushedImage",
      reference,
      digest,
      size,
      ...(signature === undefined ? {} : { signature }),
    };
    const lines = signature === undefined ? [] : [`signed  ${signature}`];
    return { exitCode: exitCodes.done, data, human: shown(`${reference}  ${sizeText(size)}`, digest, ...lines) };
  } finally {
    await target.close();
  }
}

/** Writes an image and its signature; the result is the tag of the signature, undefined without `--sign`. */
async function write(
  invocation: Invocation,
  image: BuiltImage,
  target: ImageTarget,
  { name, signing }: { readonly name: string; readonly signing: Signing | undefined },
): Promise<Result<string | undefined, ImageProblem>> {
  const {
    terminal,
    signal,
    arguments: [, reference = ""],
  } = invocation;
  const report = transferEvents(invocation, systemClock);
  // The signature comes first: nobody who follows the tag may see the image without it.
  const signed = await signing?.(image.manifest.descriptor.digest, target, signal);
  if (signed?.ok === false) return signed;
  const put = await target.put(image, name, {
    signal,
    onProgress: (bytes) => {
      report?.({ kind: "writing", reference, bytes, totalBytes: image.size });
      terminal.progress(`writing ${reference}  ${sizeText(bytes)} of ${sizeText(image.size)}`);
    },
  });
  if (!put.ok) return put;
  const finished = await target.finish(signal);
  return finished.ok ? done(signed?.value) : finished;
}

const invalid = { catalog: "CatalogInvalid", bundle: "BundleInvalid" } as const satisfies Record<string, CauseCode>;

function cannotPack(content: Push["content"], path: string, problem: string): Explanation {
  return {
    code: invalid[content],
    summary: `cannot pack ${path}: ${problem}`.slice(0, 200),
    facts: { [content]: path },
    derivation: [],
    remedies: [{ summary: "remove the file, or replace it by a regular one" }],
  };
}
