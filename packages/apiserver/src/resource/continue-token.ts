import { isJsonObject, member } from "@purser/kubernetes/json";
import type { ApiStatus } from "@purser/kubernetes/apis/object-write";
import type { Result } from "@purser/kubernetes/result";
import { done } from "@purser/kubernetes/result";
import { parseJsonBody } from "../request/body.ts";
import { badRequest } from "../request/refusal.ts";
import { jsonType } from "../kinds/decoding/decode-walk.ts";

/** Start of a page: `revision` -1 means the current state, after the exact revision has expired. */
export interface ContinueToken {
  readonly revision: number;
  /** `namespace/name` or `name`, relative to the listed path. */
  readonly key: string;
  /** Whether the page starts with the key itself instead of after it. */
  readonly inclusive: boolean;
}

const version = "meta.k8s.io/v1";

/** The token of the page after `key`. */
export function writeToken(revision: number, key: string): string {
  return Buffer.from(JSON.stringify({ v: version, rv: revision, start: `${key}\u0000` })).toString("base64url");
}

/** Offset at which Go's base64 decoder fails; undefined when it does not. */
function illegalByte(text: string): number | undefined {
  const found = /[^A-Za-z0-9_-]/.exec(text)?.index;
  return found ?? (text.length % 4 === 1 ? text.length - 1 : undefined);
}

/** Parses a `continue` parameter; the problem has kube-apiserver's message. */
export function readToken(text: string): Result<ContinueToken, ApiStatus> {
  const refuse = (why: string): Result<never, ApiStatus> =>
    badRequest(`invalid continue token: continue key is not valid: ${why}`);
  const illegal = illegalByte(text);
  if (illegal !== undefined) return refuse(`illegal base64 data at input byte ${illegal}`);
  const parsed = parseJsonBody(Buffer.from(text, "base64url").toString("utf8"));
  if (!parsed.ok) return refuse(parsed.problem.message);
  const token = parsed.value.value ?? {};
  if (!isJsonObject(token))
    return refuse(`json: cannot unmarshal ${jsonType(token)} into Go value of type storage.continueToken`);
  const [v, rv, start] = [member(token, "v") ?? "", member(token, "rv") ?? 0, member(token, "start") ?? ""];
  const misfit = (name: string, value: typeof v, type: string): Result<never, ApiStatus> =>
    refuse(`json: cannot unmarshal ${jsonType(value)} into Go struct field continueToken.${name} of type ${type}`);
  if (typeof v !== "string") return misfit("v", v, "string");
  if (typeof rv !== "number") return misfit("rv", rv, "int64");
  if (typeof start !== "string") return misfit("start", start, "string");
  if (v !== version) return refuse(`server does not recognize this encoded version ${v}`);
  if (rv === 0) return refuse(`incorrect encoded start resourceVersion (version ${version})`);
  if (start === "") return refuse(`encoded start key empty (version ${version})`);
  const segments = start.replace(/^\//, "").split("/");
  // The key must not lead outside the listed path.
  if (segments.some((segment) => segment === "" || segment === "." || segment === "..")) return refuse(start);
  const inclusive = !start.endsWith("\u0000");
  const key = segments.join("/");
  return done({ revision: rv, key: inclusive ? key : key.slice(0, -1), inclusive });
}
