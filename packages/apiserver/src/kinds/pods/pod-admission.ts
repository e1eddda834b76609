import type { JsonObject } from "@purser/kubernetes/json";
import { asJson, type KubeObject } from "@purser/kubernetes/apis/object";
import { serviceAccounts } from "@purser/kubernetes/apis/resources";
import { done, failed, type Result } from "@purser/kubernetes/result";
import type { AdmissionRefusal, WriteContext } from "../built-in-kind.ts";
import { hasMember, mapList, numberIn, objectIn, objectsIn, textIn, withDefaults } from "../decoding/json-parts.ts";
import { withLimitDefaults } from "../quotas/limit-range.ts";
import { limitRanges, priorityClasses } from "../resource-types.ts";

/** A volume with this prefix counts as the token volume, whoever added it. */
const tokenVolumePrefix = "kube-api-access-";
const tokenPath = "/var/run/secrets/kubernetes.io/serviceaccount";

/**
 * What the built-in admission plug-ins add to a new pod: limits, service account, token volume, priority, tolerations.
 * Refuses a pod whose service account or priority class does not exist.
 */
export function admitPod(
  pod: JsonObject,
  namespace: string,
  context: WriteContext,
): Result<JsonObject, AdmissionRefusal> {
  let limited = pod;
  for (const range of context.view.list(limitRanges, namespace))
    limited = withLimitDefaults(limited, objectsIn(objectIn(asJson(range), "spec"), "limits"));
  const accounted = withAccount(objectIn(limited, "spec"), namespace, context);
  if (!accounted.ok) return accounted;
  const prioritized = withPriority(accounted.value, context);
  if (!prioritized.ok) return prioritized;
  return done({ ...limited, spec: withTolerations(prioritized.value) });
}

function withAccount(spec: JsonObject, namespace: string, context: WriteContext): Result<JsonObject, AdmissionRefusal> {
  const name = textIn(spec, "serviceAccountName") || "default";
  const account = context.view.get(serviceAccounts, { namespace, name });
  if (account === undefined) {
    const message = `error looking up service account ${namespace}/${name}: serviceaccount ${JSON.stringify(name)} not found`;
    return failed({ code: 403, message });
  }
  const json = asJson(account);
  const secrets = objectsIn(json, "imagePullSecrets");
  const named = withDefaults(
    { ...spec, serviceAccountName: name, serviceAccount: name },
    secrets.length === 0 ? {} : { imagePullSecrets: secrets },
  );
  const mounts = spec["automountServiceAccountToken"] ?? json["automountServiceAccountToken"] ?? true;
  return done(mounts === true ? withToken(named, context) : named);
}

function withToken(spec: JsonObject, context: WriteContext): JsonObject {
  const present = objectsIn(spec, "volumes").find((volume) => textIn(volume, "name").startsWith(tokenVolumePrefix));
  const name = present === undefined ? `${tokenVolumePrefix}${context.entropy.suffix(5)}` : textIn(present, "name");
  let used = false;
  const mount = (container: JsonObject): JsonObject => {
    const held = objectsIn(container, "volumeMounts");
    if (held.some(({ mountPath }) => mountPath === tokenPath)) return container;
    used = true;
    return { ...container, volumeMounts: [...held, { name, readOnly: true, mountPath: tokenPath }] };
  };
  const mounted = mapList(mapList(spec, "containers", mount), "initContainers", mount);
  return used && present === undefined
    ? { ...mounted, volumes: [...objectsIn(mounted, "volumes"), tokenVolume(name)] }
    : mounted;
}

function tokenVolume(name: string): JsonObject {
  return {
    name,
    projected: {
      sources: [
        { serviceAccountToken: { expirationSeconds: 3607, path: "token" } },
        { configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
        {
          downwardAPI: {
            items: [{ path: "namespace", fieldRef: { apiVersion: "v1", fieldPath: "metadata.namespace" } }],
          },
        },
      ],
      defaultMode: 420,
    },
  };
}

function withPriority(spec: JsonObject, context: WriteContext): Result<JsonObject, AdmissionRefusal> {
  const refuse = (message: string): Result<never, AdmissionRefusal> => failed({ code: 403, message });
  const name = textIn(spec, "priorityClassName");
  const found = name === "" ? defaultPriority(context) : context.view.get(priorityClasses, { name });
  if (found === undefined && name !== "") return refuse(`no PriorityClass with name ${name} was found`);
  const json = found === undefined ? {} : asJson(found);
  const priority = numberIn(json, "value") ?? 0;
  const policy = textIn(json, "preemptionPolicy") || "PreemptLowerPriority";
  const given = numberIn(spec, "priority");
  if (given !== undefined && given !== priority)
    return refuse(
      `the integer value of priority (${given}) must not be provided in pod spec; priority admission controller computed ${priority} from the given PriorityClass name`,
    );
  const givenPolicy = textIn(spec, "preemptionPolicy");
  if (hasMember(spec, "preemptionPolicy") && givenPolicy !== policy)
    return refuse(
      `the string value of PreemptionPolicy (${givenPolicy}) must not be provided in pod spec; priority admission controller computed ${policy} from the given PriorityClass name`,
    );
  return done({
    ...spec,
    ...(found === undefined ? {} : { priorityClassName: found.metadata.name ?? "" }),
    priority,
    preemptionPolicy: policy,
  });
}

/** The default priority class with the lowest value. */
function defaultPriority(context: WriteContext): KubeObject | undefined {
  const valueOf = (priority: KubeObject): number => numberIn(asJson(priority), "value") ?? 0;
  return [...context.view.list(priorityClasses)]
    .filter((priority) => asJson(priority)["globalDefault"] === true)
    .toSorted((a, b) => valueOf(a) - valueOf(b))[0];
}

const evictions = ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"];

export function withTolerations(spec: JsonObject): JsonObject {
  const held = objectsIn(spec, "tolerations");
  const added = evictions
    .filter((key) => !held.some((toleration) => tolerates(toleration, key)))
    .map((key) => ({ key, operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 }));
  return added.length === 0 ? spec : { ...spec, tolerations: [...held, ...added] };
}

function tolerates(toleration: JsonObject, key: string): boolean {
  const effect = textIn(toleration, "effect");
  const named = textIn(toleration, "key");
  return (effect === "" || effect === "NoExecute") && (named === key || named === "");
}
