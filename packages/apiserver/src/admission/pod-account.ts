import type { KubeObject } from "@purser/kubernetes/apis/object";
import { asJson } from "@purser/kubernetes/apis/object";
import type { ApiStatus } from "@purser/kubernetes/apis/object-write";
import type { JsonObject } from "@purser/kubernetes/json";
import type { Result } from "@purser/kubernetes/result";
import { done } from "@purser/kubernetes/result";
import { hasMember, objectAt, objectIn, objectsIn, textIn } from "../kinds/decoding/json-parts.ts";
import { forbidden } from "../request/refusal.ts";
import type { Storage } from "../storage/storage.ts";
import type { AdmissionRequest } from "./admission.ts";

const enforced = "kubernetes.io/enforce-mountable-secrets";
/** The values that Go's strconv.ParseBool parses as true. */
const truths: ReadonlySet<string> = new Set(["1", "t", "T", "true", "TRUE", "True"]);

/**
 * ServiceAccount: the service account of a new pod must exist, and with enforce-mountable-secrets the pod may use only
 * the secrets it lists.
 */
export function accountAllows(
  storage: Storage,
  { kind, operation, subresource, namespace = "", name }: AdmissionRequest,
  object: KubeObject | undefined,
): Result<undefined, ApiStatus> {
  if (kind.table !== "pods" || operation !== "CREATE" || subresource !== "" || object === undefined)
    return done(undefined);
  const spec = objectIn(asJson(object), "spec");
  const account = textIn(spec, "serviceAccountName");
  if (account === "") return forbidden(kind.type, name, `no service account specified for pod ${namespace}/${name}`);
  const held = storage.get("serviceaccounts", `${namespace}/${account}`);
  if (held === undefined)
    return forbidden(
      kind.type,
      name,
      `error looking up service account ${namespace}/${account}: serviceaccount ${JSON.stringify(account)} not found`,
    );
  if (!truths.has(held.metadata.annotations?.[enforced] ?? "")) return done(undefined);
  const problem = secretProblem(spec, asJson(held), account);
  return problem === undefined ? done(undefined) : forbidden(kind.type, name, problem);
}

function namesIn(account: JsonObject, key: string): ReadonlySet<string> {
  return new Set(objectsIn(account, key).map((secret) => textIn(secret, "name")));
}

/** The message about the first secret that the service account does not list. */
function secretProblem(spec: JsonObject, held: JsonObject, account: string): string | undefined {
  const [secrets, pulls] = [namesIn(held, "secrets"), namesIn(held, "imagePullSecrets")];
  const refusal = `is not allowed because service account ${account} does not reference that`;
  for (const volume of objectsIn(spec, "volumes")) {
    const secret = textIn(objectIn(volume, "secret"), "secretName");
    if (hasMember(volume, "secret") && !secrets.has(secret))
      return `volume with secret.secretName="${secret}" ${refusal} secret`;
  }
  for (const [key, word] of [
    ["initContainers", "init container"],
    ["containers", "container"],
  ] as const)
    for (const container of objectsIn(spec, key)) {
      const used = usesOf(container).find(({ secret }) => !secrets.has(secret));
      if (used !== undefined)
        return `${word} ${textIn(container, "name")} with ${used.how} referencing secret.secretName="${used.secret}" ${refusal} secret`;
    }
  for (const [index, pull] of objectsIn(spec, "imagePullSecrets").entries()) {
    const secret = textIn(pull, "name");
    if (!pulls.has(secret)) return `imagePullSecrets[${index}].name="${secret}" ${refusal} imagePullSecret`;
  }
  return undefined;
}

function usesOf(container: JsonObject): readonly { readonly how: string; readonly secret: string }[] {
  return [
    ...objectsIn(container, "env")
      .filter((variable) => hasMember(objectIn(variable, "valueFrom"), "secretKeyRef"))
      .map((variable) => ({
        how: `envVar ${textIn(variable, "name")}`,
        secret: textIn(objectAt(variable, "valueFrom", "secretKeyRef"), "name"),
      })),
    ...objectsIn(container, "envFrom")
      .filter((source) => hasMember(source, "secretRef"))
      .map((source) => ({ how: "envFrom", secret: textIn(objectIn(source, "secretRef"), "name") })),
  ];
}
