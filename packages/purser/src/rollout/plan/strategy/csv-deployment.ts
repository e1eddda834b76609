import type { DeploymentSpec } from "@purser/kubernetes/apis/apps";
import type { Container, EnvVar, PodTemplateSpec, Volume, VolumeMount } from "@purser/kubernetes/apis/core";
import type { Proxy } from "../../../apis/openshift.ts";
import type { ClusterServiceVersion, StrategyDeployment } from "../../../apis/v0/cluster-service-version.ts";
import { caHashAnnotation, deploymentSpecHashLabel, stateAnnotation } from "../../../apis/v0/labels.ts";
import { readTyped } from "../../../bundle/api-types/read-typed.ts";
import { writeTyped } from "../../../bundle/api-types/write-typed.ts";
import { deepHash } from "../../../bundle/generated-name.ts";
import { overridePodTemplate, replaceByName, withVariables } from "../../../bundle/render/pod-overrides.ts";
import { certificateMounts, certificateVolume } from "../../../bundle/render/webhook-wiring.ts";
import { invariant } from "@purser/kubernetes/invariant";
import { isJsonObject, type JsonObject, type JsonValue } from "@purser/kubernetes/json";
import { managed, ownerOf } from "./csv-owner.ts";
import { servingNames } from "./serving-names.ts";
import type { StrategyWorld } from "./strategy-world.ts";

export interface DesiredDeployment {
  readonly name: string;
  readonly object: JsonObject;
  /** Value of the label `olm.deployment-spec-hash`. */
  readonly specHash: string;
}

/**
 * The Deployment of a CSV's install strategy with `spec.config` of its Subscription and the cluster's proxy, as OLM's `deploymentForSpec`.
 * @param authorityHash of the certificate that the deployment serves with; undefined when it serves nothing
 */
export function desiredDeployment(
  world: Pick<StrategyWorld, "csv" | "subscriptions" | "proxy">,
  entry: StrategyDeployment,
  authorityHash: string | undefined,
): DesiredDeployment {
  const { csv } = world;
  const owner = ownerOf(csv);
  const config = subscriptionConfigOf(world);
  const served = authorityHash === undefined ? entry.spec : withCertificate(entry.name, entry.spec, authorityHash);
  const annotated: PodTemplateSpec = {
    ...served.template,
    ...withAnnotations(served.template, podAnnotations(csv)),
  };
  const overridden = config === undefined ? annotated : overridePodTemplate(annotated, config, "v0");
  const proxy = proxyVariables(world.proxy, config?.env);
  const condition: EnvVar = { name: "OPERATOR_CONDITION_NAME", value: owner.name };
  const spec: DeploymentSpec = {
    ...served,
    template: mapContainers(overridden, (container) => ({
      ...container,
      env: withVariables(container.env, [...proxy, condition]) ?? [],
    })),
    revisionHistoryLimit: 1,
  };
  const typed = readTyped("DeploymentSpec", spec as unknown as JsonValue);
  invariant(typed.ok, `the strategy of ${owner.name} fits its type`);
  const specHash = deepHash(writeTyped("DeploymentSpec", typed.value));
  const annotations = config?.annotations ?? {};
  return {
    name: entry.name,
    specHash,
    object: {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: {
        name: entry.name,
        namespace: owner.namespace,
        labels: { ...entry.label, ...managed, ...owner.labels, [deploymentSpecHashLabel]: specHash },
        ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
        ownerReferences: [{ ...owner.reference }],
      },
      spec: typed.value,
    },
  };
}

/** The annotations of a CSV that its pods have too: all but what says how the CSV itself is doing. */
export function podAnnotations({
  metadata,
}: Pick<ClusterServiceVersion, "metadata">): Readonly<Record<string, string>> {
  const { [stateAnnotation]: _state, ...annotations } = metadata.annotations ?? {};
  return annotations;
}

/** As OLM's proxy overrides: a Subscription that sets one of the three variables sets all of them, names compared exactly. */
function proxyVariables(proxy: Proxy | undefined, own: readonly EnvVar[] | null | undefined): readonly EnvVar[] {
  const { httpProxy = "", httpsProxy = "", noProxy = "" } = proxy?.status ?? {};
  const variables: readonly EnvVar[] = [
    { name: "HTTP_PROXY", value: httpProxy },
    { name: "HTTPS_PROXY", value: httpsProxy },
    { name: "NO_PROXY", value: noProxy },
  ];
  const names = variables.map(({ name }) => name);
  if (own?.some(({ name }) => names.includes(name)) === true) return [];
  return variables.filter(({ value }) => value !== "");
}

/** `spec.config` of the first Subscription whose installed CSV is this one. */
export function subscriptionConfigOf({ csv, subscriptions }: Pick<StrategyWorld, "csv" | "subscriptions">) {
  const own = subscriptions.find(({ status }) => status?.installedCSV === csv.metadata.name);
  return own?.spec.config;
}

function withAnnotations(
  template: PodTemplateSpec,
  added: Readonly<Record<string, string>>,
): Pick<PodTemplateSpec, "metadata"> {
  const annotations = { ...template.metadata?.annotations, ...added };
  return Object.keys(annotations).length === 0 ? {} : { metadata: { ...template.metadata, annotations } };
}

function mapContainers(template: PodTemplateSpec, change: (container: Container) => Container): PodTemplateSpec {
  if (template.spec === undefined) return template;
  return { ...template, spec: { ...template.spec, containers: template.spec.containers?.map(change) } };
}

/** Adds the volumes and mounts of the certificate, the hash of its authority and, when none is set, the service account `default`. */
function withCertificate(name: string, spec: DeploymentSpec, authorityHash: string): DeploymentSpec {
  const { secret } = servingNames(name);
  const volumes: readonly Volume[] = certificateMounts.map((mount) => certificateVolume(mount, secret));
  const template = mapContainers(spec.template, (container) => ({
    ...container,
    volumeMounts: certificateMounts.reduce<readonly VolumeMount[]>(
      (held, { name: mountName, mountPath }) => mounted(held, { name: mountName, mountPath }),
      container.volumeMounts ?? [],
    ),
  }));
  const pod = template.spec;
  const account = pod?.serviceAccountName ?? "";
  return {
    ...spec,
    template: {
      ...template,
      ...withAnnotations(template, { [caHashAnnotation]: authorityHash }),
      ...(pod === undefined
        ? {}
        : {
            spec: {
              ...pod,
              serviceAccountName: account === "" ? "default" : account,
              volumes: replaceByName(pod.volumes, volumes, "v0") ?? [],
            },
          }),
    },
  };
}

/** The first mount with the name or the path decides: with the name it stays as it is, else it is overwritten. Appended when there is none. */
function mounted(held: readonly VolumeMount[], mount: VolumeMount): readonly VolumeMount[] {
  const at = held.findIndex(({ name, mountPath }) => name === mount.name || mountPath === mount.mountPath);
  if (at < 0) return [...held, mount];
  return held[at]?.name === mount.name ? held : held.with(at, mount);
}

/** The Deployments of the CSV's strategy as OLM's Go type reads them. */
export function strategyDeployments({ csv }: StrategyWorld): readonly StrategyDeployment[] {
  const entries = csv.spec.install.spec?.deployments ?? [];
  return entries.map((entry) => {
    const typed = readTyped("csv.StrategyDeploymentSpec", entry as unknown as JsonObject);
    return typed.ok && isJsonObject(typed.value) ? (typed.value as unknown as StrategyDeployment) : entry;
  });
}
