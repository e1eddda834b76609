import { done, failed, type Result } from "@purser/kubernetes/result";

/** A container image reference in its full form. */
export interface ImageReference {
  /** `docker.io` when none was written. */
  readonly registry: string;
  readonly repository: string;
  readonly tag?: string;
  readonly digest?: string;
}

const alphanumeric = "[a-z0-9]+";
const component = `${alphanumeric}(?:(?:\\.|_|__|-+)${alphanumeric})*`;
const domainComponent = "(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])";
const domain = `(?:${domainComponent}(?:\\.${domainComponent})*|\\[(?:[a-fA-F0-9:]+)\\])(?::[0-9]+)?`;
const form = new RegExp(
  `^(?:(${domain})/)?(${component}(?:/${component})*)(?::([\\w][\\w.-]{0,127}))?(?:@([A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}))?$`,
);
const digestLengths: Readonly<Record<string, number>> = { sha256: 64, sha384: 96, sha512: 128 };
const longestName = 255;

/** Reads a reference as container tools do (short names allowed); the problem is their error message. */
export function parseImageReference(text: string): Result<ImageReference, string> {
  if (/^[a-f0-9]{64}$/.test(text))
    return failed(`invalid repository name (${text}), cannot specify 64-byte hexadecimal strings`);
  const { registry, rest } = splitRegistry(text);
  const remoteName = rest.split(/[:@]/, 1)[0] ?? "";
  if (remoteName !== remoteName.toLowerCase())
    return failed("invalid reference format: repository name must be lowercase");
  const match = form.exec(`${registry}/${rest}`);
  if (match === null) return failed("invalid reference format");
  const [, , repository = "", tag, digest] = match;
  if (registry.length + 1 + repository.length > longestName)
    return failed("repository name must not be more than 255 characters");
  if (digest !== undefined) {
    const complaint = digestProblem(digest);
    if (complaint !== undefined) return failed(complaint);
  }
  return done({
    registry,
    repository,
    ...(tag === undefined ? {} : { tag }),
    ...(digest === undefined ? {} : { digest }),
  });
}

/** The first component is a registry when it looks like a host; otherwise the name is one of the default registry's. */
function splitRegistry(text: string): { readonly registry: string; readonly rest: string } {
  const slash = text.indexOf("/");
  const first = slash === -1 ? "" : text.slice(0, slash);
  const isHost = /[.:]/.test(first) || first === "localhost";
  if (!isHost) return { registry: "docker.io", rest: slash === -1 ? `library/${text}` : text };
  const registry = first === "index.docker.io" ? "docker.io" : first;
  const rest = text.slice(slash + 1);
  return { registry, rest: registry === "docker.io" && !rest.includes("/") ? `library/${rest}` : rest };
}

function digestProblem(digest: string): string | undefined {
  const [algorithm = "", hex = ""] = digest.split(":");
  const length = Object.hasOwn(digestLengths, algorithm) ? digestLengths[algorithm] : undefined;
  if (length === undefined) return "unsupported digest algorithm";
  if (hex.length !== length) return "invalid checksum digest length";
  return hex === hex.toLowerCase() ? undefined : "invalid checksum digest format";
}
