import type { CustomResourceDefinition } from "@purser/kubernetes/apis/apiextensions";
import { customResourceDefinitions } from "@purser/kubernetes/apis/resources";
import { clusterServiceVersions, installPlans } from "../apis/olm-resources.ts";
import {
  componentLabelPrefix,
  copiedFromLabel,
  installedAlongsideAnnotationPrefix,
  managedLabel,
} from "../apis/v0/labels.ts";
import type { Step, StepStatus } from "../apis/v0/install-plan.ts";
import type { Compat } from "../compat.ts";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import type { StepPorts } from "./step-ports.ts";
import type { ObjectReader } from "@purser/kubernetes/kube/object-reader";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { Written, WriteRefusal } from "@purser/kubernetes/apis/object-write";
import type { ObjectWriter } from "@purser/kubernetes/kube/object-writer";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { conditionText } from "../explanation/condition-text.ts";
import {
  convertsByWebhook,
  isEstablished,
  lostVersion,
  schemaRefusals,
  schemaRefusalText,
  versionsToCheck,
} from "./plan/crd-compatibility.ts";
import { hasAllOf } from "./plan/applied-already.ts";
import { crdsOwnedElsewhere, extensionOwnerOf } from "./plan/crd-of-extension.ts";
import { type CsvKey, installedAlongside, withInstalledAlongside } from "./plan/installed-alongside.ts";
import { failureOf, type WriteFailure } from "./write-failure.ts";

export interface CrdStepDone {
  readonly status: StepStatus;
  readonly warnings: readonly string[];
  /** Text of an event `CRDValidation`: objects that only the new conversion webhook can make fit. */
  readonly doubt?: string;
}

const conflictRetries = 5;

/** What a step works with. */
export interface CrdStepPorts {
  readonly reader: ObjectReader;
  readonly writer: ObjectWriter;
  /** Writes what the cluster serves: the account of the OperatorGroup. Default: `writer`, which then only marks definitions. */
  readonly scoped?: ObjectWriter;
  readonly createdWith?: StepPorts["createdWith"];
  readonly isInstalled?: StepPorts["isInstalled"];
  readonly inTurn?: StepPorts["inTurn"];
  /** `crd-wait`: a waiting step becomes `Unknown` as in OLM. `crd-marks`: only CSVs that exist keep their marks. `crd-owners`: CRDs of OLM v1 are taken over. Default: none. */
  readonly compat?: Compat;
}

/** One pass over a CRD step of an InstallPlan, as OLM's `NewCRDV1Step`. */
export async function executeCrdStep(
  manifest: CustomResourceDefinition,
  step: Step,
  planNamespace: string,
  ports: CrdStepPorts,
  signal: AbortSignal,
): Promise<Result<CrdStepDone, WriteFailure>> {
  const csv: CsvKey = { namespace: planNamespace, name: step.resolving };
  switch (step.status) {
    case "Created":
    case "Present":
      return done({ status: step.status, warnings: [] });
    case "WaitingForApi":
      return done(await waitForCrd(step, ports));
    case "Unknown":
    case "NotPresent": {
      const write = (): ReturnType<typeof createOrUpdate> => createOrUpdate(manifest, step, csv, ports, signal);
      return ports.inTurn === undefined ? write() : ports.inTurn(step.resource.name, write);
    }
    case "NotCreated":
    case "UnsupportedResource":
      return done({ status: "Unknown", warnings: [] });
  }
}

/** One pass over a step whose CRD was written and may not be served yet; needs no manifest. */
export async function waitForCrd(
  { resource }: Step,
  { reader, compat }: Pick<CrdStepPorts, "reader" | "compat">,
): Promise<CrdStepDone> {
  const reached = (status: StepStatus): CrdStepDone => ({ status, warnings: [] });
  const live = await reader.get(customResourceDefinitions, { name: resource.name });
  if (compat?.keepsUpstream("crd-wait") === true)
    return reached(live !== undefined && isEstablished(live) ? "Created" : "Unknown");
  // The CRD was deleted after its creation: the next pass creates it again.
  if (live === undefined) return reached("NotPresent");
  // OLM sets `Unknown` here, and may complete a plan whose API is not served yet.
  return reached(isEstablished(live) ? "Created" : "WaitingForApi");
}

async function createOrUpdate(
  manifest: CustomResourceDefinition,
  step: Step,
  csv: CsvKey,
  ports: CrdStepPorts,
  signal: AbortSignal,
): Promise<Result<CrdStepDone, WriteFailure>> {
  const name = manifest.metadata.name ?? "";
  const live = await ports.reader.get(customResourceDefinitions, { name });
  // A write would drop the finalizers of others, and be lost with the definition. Its end starts the next pass.
  if (live?.metadata.deletionTimestamp !== undefined && ports.compat?.keepsUpstream("crd-wait") !== true)
    return done({ status: "NotPresent", warnings: [] });
  const type: ResourceType = customResourceDefinitions;
  const labelled = withComponentLabels(manifest, ports.createdWith?.(step, type, manifest));
  if (live !== undefined) return update(labelled, live, csv, ports, signal);
  const object = marked(labelled, [], csv);
  const created = await (ports.scoped ?? ports.writer).write({ verb: "create", type, object }, signal);
  if (created.ok) return done({ status: "WaitingForApi", warnings: created.value.warnings });
  if (created.problem.kind !== "alreadyExists") {
    return failed(
      failureOf(created.problem, (text) => `error creating CRD ${name}: ${text}${wayOut(created.problem)}`),
    );
  }
  const appeared = await ports.reader.get(customResourceDefinitions, { name });
  if (appeared === undefined) return failed(failureOf(created.problem));
  return update(labelled, appeared, csv, ports, signal);
}

/** The manifest with the component labels of an object of the same name: those of other Operators stay when it is written. */
function withComponentLabels(
  manifest: CustomResourceDefinition,
  from: KubeObject | undefined,
): CustomResourceDefinition {
  const kept = Object.entries(from?.metadata.labels ?? {}).filter(([key]) => key.startsWith(componentLabelPrefix));
  if (kept.length === 0) return manifest;
  const labels = { ...Object.fromEntries(kept), ...manifest.metadata.labels };
  return { ...manifest, metadata: { ...manifest.metadata, labels } };
}

function marked(
  manifest: CustomResourceDefinition,
  others: Iterable<CsvKey>,
  csv: CsvKey,
  resourceVersion?: string,
): CustomResourceDefinition {
  const { metadata, apiVersion, kind, spec } = manifest;
  return {
    apiVersion,
    kind,
    metadata: {
      ...metadata,
      annotations: withInstalledAlongside(metadata.annotations, others, csv),
      labels: { ...metadata.labels, [managedLabel]: "true" },
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    },
    spec,
  };
}

async function update(
  manifest: CustomResourceDefinition,
  live: CustomResourceDefinition,
  csv: CsvKey,
  ports: CrdStepPorts,
  signal: AbortSignal,
): Promise<Result<CrdStepDone, WriteFailure>> {
  const name = manifest.metadata.name ?? "";
  const owner = ports.compat?.keepsUpstream("crd-owners") === true ? undefined : extensionOwnerOf(live);
  if (owner !== undefined) {
    const explanation = crdsOwnedElsewhere({ crd: name, csv: csv.name, owner }, []);
    return failed({ message: `${explanation.code}: ${conditionText(explanation)}`, forbidden: false });
  }
  const refusal = await firstRefusal(manifest, live, ports.reader);
  if (refusal !== undefined && !convertsByWebhook(manifest)) {
    const message = `error validating existing CRs against new CRD's schema for "${name}": ${refusal}`;
    return failed({ message, forbidden: false });
  }
  const lost = lostVersion(live, manifest);
  if (lost !== undefined) {
    const message = `risk of data loss updating "${name}": new CRD removes version ${lost} that is listed as a stored version on the existing CRD`;
    return failed({ message, forbidden: false });
  }
  let current = live;
  for (let attempt = 0; ; attempt++) {
    // Of the state that is replaced: another plan may have marked it since the last attempt.
    const others = await stillInstalled([manifest, current], ports);
    const object = marked(withComponentLabels(manifest, current), others, csv, current.metadata.resourceVersion);
    const written = await replaceOrMark(object, current, ports, signal);
    if (written.ok) {
      return done({
        status: "Present",
        warnings: written.value.warnings,
        ...(refusal === undefined ? {} : { doubt: doubtOf(name, refusal) }),
      });
    }
    const again = written.problem.kind === "conflict" && attempt < conflictRetries;
    const next = again ? await ports.reader.get(customResourceDefinitions, { name }) : undefined;
    if (next === undefined)
      return failed(
        failureOf(written.problem, (text) => `error updating CRD: ${name}: ${text}${wayOut(written.problem)}`),
      );
    current = next;
  }
}

/** Where the account may not write a definition that already holds all that is wanted, only its marks are written. */
async function replaceOrMark(
  object: CustomResourceDefinition,
  current: CustomResourceDefinition,
  { writer, scoped }: CrdStepPorts,
  signal: AbortSignal,
): Promise<Result<Written, WriteRefusal>> {
  const type = customResourceDefinitions;
  const written = await (scoped ?? writer).write({ verb: "replace", type, object }, signal);
  const isRefused = scoped !== undefined && !written.ok && written.problem.kind === "forbidden";
  if (!isRefused || !hasAllOf(current, { ...current, spec: object.spec } as KubeObject)) return written;
  const { name = "", resourceVersion, annotations = {}, labels = {} } = object.metadata;
  const lost = Object.keys(current.metadata.annotations ?? {}).filter(
    (key) => key.startsWith(installedAlongsideAnnotationPrefix) && annotations[key] === undefined,
  );
  const marks = Object.entries(annotations).filter(([key]) => key.startsWith(installedAlongsideAnnotationPrefix));
  const patch = {
    metadata: {
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
      annotations: Object.fromEntries([...lost.map((key) => [key, null] as const), ...marks]),
      labels: { [managedLabel]: labels[managedLabel] ?? "true" },
    },
  };
  return writer.write({ verb: "patch", type, key: { name }, patchType: "merge", patch }, signal);
}

const wayOut = ({ kind }: WriteRefusal): string =>
  kind === "forbidden"
    ? ". A cluster administrator grants this to the service account of the OperatorGroup, or creates the definition"
    : "";

/** The first violation of the new schema by an object of a version that stays served; undefined when there is none. */
async function firstRefusal(
  manifest: CustomResourceDefinition,
  live: CustomResourceDefinition,
  reader: ObjectReader,
): Promise<string | undefined> {
  for (const type of versionsToCheck(live, manifest)) {
    const [refusal] = schemaRefusals(manifest, type, await reader.list(type));
    if (refusal !== undefined) return schemaRefusalText(type, refusal);
  }
  return undefined;
}

/**
 * CSVs that the annotations of the CRDs name and that exist and are not copied, or that an InstallPlan in phase Installing
 * creates: that plan does not write the CRD again, and its CSV would wait for the annotation forever. OLM keeps existing CSVs
 * only.
 */
async function stillInstalled(
  crds: readonly CustomResourceDefinition[],
  { reader, compat, isInstalled }: CrdStepPorts,
): Promise<readonly CsvKey[]> {
  const named = new Map(crds.flatMap(({ metadata }) => [...installedAlongside(metadata.annotations)]));
  const kept: CsvKey[] = [];
  const isKnown = compat?.keepsUpstream("crd-marks") === true ? undefined : isInstalled;
  for (const key of named.values()) {
    if (isKnown?.(key) === true) {
      kept.push(key);
      continue;
    }
    const found = await reader.get(clusterServiceVersions, key);
    const stays =
      found === undefined
        ? compat?.keepsUpstream("crd-marks") !== true && (await isBeingInstalled(key, reader))
        : found.metadata.labels?.[copiedFromLabel] === undefined;
    if (stays) kept.push(key);
  }
  return kept;
}

async function isBeingInstalled({ namespace, name }: CsvKey, reader: ObjectReader): Promise<boolean> {
  const plans = await reader.list(installPlans, { namespace });
  return plans.some(
    ({ spec, status }) => status?.phase === "Installing" && spec.clusterServiceVersionNames.includes(name),
  );
}

function doubtOf(name: string, refusal: string): string {
  return [
    "Validation of existing CRs against the new CRD's schema failed, but a webhook conversion strategy was specified in the new CRD.",
    "The new webhook will only start after the bundle is upgraded, so we must assume that it will successfully convert existing CRs to a format that would have passed validation.",
    "",
    `CRD: "${name}"`,
    `Validation Error: ${refusal}`,
    "",
  ].join("\n");
}
