import type { Digest } from "@purser/kubernetes/digest";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { parseImageReference } from "../../image-reference.ts";
import type { ImageTarget, TargetReference } from "../../image/build/image-target.ts";
import type { ImageProblem } from "../../image/image-problem.ts";
import { signatureTag } from "../../image/policy/find-signatures.ts";
import { signatureImage } from "../../image/policy/sign-image.ts";
import { readSigningKey } from "../../image/policy/signing-key.ts";
import { UsageError } from "../command.ts";

/** Writes the signature of an image that the target holds; the result is its tag. */
export type Signing = (
  digest: Digest,
  target: ImageTarget,
  signal: AbortSignal,
) => Promise<Result<string, ImageProblem>>;

export interface SigningRequest {
  /** The values of `--sign` and `--sign-identity`. */
  readonly file: string | undefined;
  readonly identity: string | undefined;
  readonly target: TargetReference;
  /** What the target was named by. */
  readonly reference: string;
  /** Of an encrypted key. */
  readonly passphrase: () => Promise<string | undefined>;
}

/**
 * Reads the key of `--sign` before anything is written; undefined without the flag.
 * @throws UsageError for flags that do not belong together
 */
export async function prepareSigning({
  file,
  identity,
  target: { kind, name },
  reference,
  passphrase,
}: SigningRequest): Promise<Result<Signing | undefined, ImageProblem>> {
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
  const key = await readSigningKey(file, passphrase);
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
