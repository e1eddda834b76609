import type { Digest } from "@purser/kubernetes/digest";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { parseImageReference } from "../../image-reference.ts";
import type { ImageTarget, TargetReference } from "../../image/build/image-target.ts";
import type { ImageProblem } from "../../image/image-problem.ts";
import { signatureTag } from "../../image/policy/find-signatures.ts";
import { signatureImage } from "../../image/policy/sign-image.ts";
import { readSigningKey } from "../../image/policy/signing-key.ts";
import { type Invocation, textOption, UsageError } from "../command.ts";

/** Writes the signature of an image that the target holds; the result is its tag. */
export type Signing = (
  digest: Digest,
  target: ImageTarget,
  signal: AbortSignal,
) => Promise<Result<string, ImageProblem>>;

/** Reads the key of `--sign` before anything is written; undefined without the flag. */
export async function prepareSigning(
  invocation: Invocation,
  { kind, name }: TargetReference,
  reference: string,
): Promise<Result<Signing | undefined, ImageProblem>> {
  const file = textOption(invocation, "sign");
  const identity = textOption(invocation, "sign-identity");
  if (file === undefined) {
    if (identity !== undefined) throw new UsageError("--sign-identity without --sign", "--sign KEY");
    return done(undefined);
  }
  if (kind !== "registry" && name === "")
    throw new UsageError("a signed layout holds two images, so both need a name", `${reference}:NAME`);
  if (kind !== "registry" && identity === undefined)
    throw new UsageError(
      "a layout does not say under which name its image will be pulled",
      "--sign-identity HOST/REPOSITORY:TAG",
    );
  const signed = identity ?? reference.replace(/^docker:\/\//, "");
  const parsed = parseImageReference(signed);
  if (!parsed.ok) throw new UsageError(`--sign-identity ${JSON.stringify(signed)}: ${parsed.problem}`);
  const { registry, repository, tag } = parsed.value;
  const { terminal, signal: interrupted } = invocation;
  const key = await readSigningKey(file, () => {
    const given = terminal.env["COSIGN_PASSWORD"];
    return given === undefined ? terminal.ask(`Passphrase of ${file}: `, { isSecret: true }) : Promise.resolve(given);
  });
  interrupted.throwIfAborted();
  if (!key.ok) return failed({ kind: "configuration", reference, ...key.problem });
  const claimed = `${registry}/${repository}${tag === undefined ? "" : `:${tag}`}`;
  return done(async (digest, target, signal) => {
    const at = signatureTag(digest);
    const existing = await target.get(at, signal);
    if (!existing.ok) return existing;
    const image = signatureImage(key.value, { digest, reference: claimed }, existing.value);
    if (!image.ok)
      return failed({
        kind: "invalid",
        reference,
        cause: `the signatures under ${at} cannot be extended: ${image.problem}`,
        remedy: "delete that tag",
      });
    if (image.value !== undefined) {
      const put = await target.put(image.value, at, { signal });
      if (!put.ok) return put;
    }
    return done(at);
  });
}
