import type { JsonObject } from "@purser/kubernetes/json";
import { invalid, type FieldError } from "@purser/kubernetes/object/field-error";
import { hasMember, objectAt, objectsIn, textIn } from "../decoding/json-parts.ts";
import { subdomainProblems } from "../names.ts";
import type { Rule } from "../field-rules.ts";

const mostCredentials = { bytes: 64 * 1024, kibibytes: 64 };
const longest = { domain: 256, user: 104 };
const control = /\p{Cc}/u;
const netBios = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/u;
const domainLabel = "[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?";
const domainName = new RegExp(`^${domainLabel}(?:\\.${domainLabel})*$`, "u");
const badCharacters = /["/\\:;|=,+*?<>@[\]]/u;

function userFaults(name: string): readonly string[] {
  if (name === "") return ["runAsUserName cannot be an empty string"];
  if (control.test(name)) return ["runAsUserName cannot contain control characters"];
  const parts = name.split("\\");
  if (parts.length > 2) return ["runAsUserName cannot contain more than one backslash"];
  const user = parts.at(-1) ?? "";
  const domain = parts.length === 2 ? (parts[0] ?? "") : undefined;
  return [
    ...((domain ?? "").length >= longest.domain
      ? [`runAsUserName's Domain length must be under ${longest.domain} characters`]
      : []),
    ...(domain === undefined || netBios.test(domain) || domainName.test(domain)
      ? []
      : ["runAsUserName's Domain doesn't match the NetBios nor the DNS format"]),
    ...(user === ""
      ? ["runAsUserName's User cannot be empty"]
      : user.length > longest.user
        ? [`runAsUserName's User length must not be longer than ${longest.user} characters`]
        : []),
    ...(/^[. ]+$/u.test(user) ? ["runAsUserName's User cannot contain only periods or spaces"] : []),
    ...(badCharacters.test(user)
      ? ["runAsUserName's User cannot contain the following characters: \"/\\:;|=,+*?<>@[]"]
      : []),
  ];
}

function credentialFaults(text: string): readonly string[] {
  const { length } = new TextEncoder().encode(text);
  if (length === 0) return ["gmsaCredentialSpec cannot be an empty string"];
  return length > mostCredentials.bytes
    ? [`gmsaCredentialSpec size must be under ${mostCredentials.kibibytes} KiB`]
    : [];
}

const rules = {
  gmsaCredentialSpecName: subdomainProblems,
  gmsaCredentialSpec: credentialFaults,
  runAsUserName: userFaults,
};

/** Validates windowsOptions of a security context. */
export const validateWindowsOptions: Rule = (options, path) =>
  Object.entries(rules).flatMap(([key, faultsOf]) =>
    hasMember(options, key)
      ? faultsOf(textIn(options, key)).map((fault) => invalid(`${path}.${key}`, textIn(options, key), fault))
      : [],
  );

/** HostProcess containers on Windows: all containers of a pod or none, and they need hostNetwork. */
export function validateHostProcesses(spec: JsonObject, path: string): readonly FieldError[] {
  const heldBy = (holder: JsonObject): unknown => objectAt(holder, "securityContext", "windowsOptions")["hostProcess"];
  const ofPod = heldBy(spec);
  const containers = ["initContainers", "containers", "ephemeralContainers"].flatMap((list) =>
    objectsIn(spec, list).map((held, index) => ({ own: heldBy(held), at: `${path}.${list}[${index}]` })),
  );
  const count = containers.filter(({ own }) => (own ?? ofPod) === true).length;
  return [
    ...containers.flatMap(({ own, at }) =>
      typeof own === "boolean" && typeof ofPod === "boolean" && own !== ofPod
        ? [
            invalid(
              `${at}.securityContext.windowsOptions.hostProcess`,
              own,
              `pod hostProcess value must be identical if both are specified, was ${ofPod}`,
            ),
          ]
        : [],
    ),
    ...(count > 0 && count < containers.length
      ? [
          invalid(
            path,
            "",
            "If pod contains any hostProcess containers then all containers must be HostProcess containers",
          ),
        ]
      : []),
    ...(count > 0 && spec["hostNetwork"] !== true
      ? [invalid(`${path}.hostNetwork`, false, "hostNetwork must be true if pod contains any hostProcess containers")]
      : []),
  ];
}
