import type { CustomResourceDefinition } from "@purser/kubernetes/apis/apiextensions";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { Step, StepStatus } from "../apis/v0/install-plan.ts";
import { apiVersionOf } from "@purser/kubernetes/apis/resource-type";
import { customResourceDefinitions } from "@purser/kubernetes/apis/resources";
import { isJsonObject, type JsonObject } from "@purser/kubernetes/json";
import { readOrRefusal } from "@purser/kubernetes/kube/refusal";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { readYaml } from "@purser/kubernetes/text/documents";
import { applyStep, missingApiText, typeOfStep } from "./apply-step.ts";
import { executeCrdStep, waitForCrd } from "./crd-step.ts";
import type { ExecutionOutcome, StepEvent, StepFailure } from "./plan/execution-outcome.ts";
import type { ExecutingPlan, KnownOwners, StepDone, StepPorts } from "./step-ports.ts";
import { failureOf } from "./write-failure.ts";

const invalidData = "the InstallPlan contains invalid data";

/**
 * One pass over the steps of an approved InstallPlan, in plan order; the first failure ends it. Completed steps are skipped,
 * so that a pass after a crash continues where the last one stopped.
 */
export async function executeSteps(
  plan: ExecutingPlan,
  ports: StepPorts,
  signal: AbortSignal,
): Promise<ExecutionOutcome> {
  const steps = [...plan.steps];
  const events: StepEvent[] = [];
  const owners: KnownOwners = new Map();
  for (const [index, step] of steps.entries()) {
    // A refused read fails its step like a refused write: the plan's status reports it until the retries time out.
    const executed = await readOrRefusal(executeStep(step, plan, ports, owners, signal));
    const outcome = executed.ok ? executed.value : failed<StepProblem>(failureOf(executed.problem));
    if (!outcome.ok) {
      const { status, ...failure } = outcome.problem;
      if (status !== undefined) steps[index] = { ...step, status };
      return { steps, failure, events };
    }
    const { status, warnings, doubt } = outcome.value;
    steps[index] = { ...step, status };
    if (doubt !== undefined) events.push({ type: "Warning", reason: "CRDValidation", message: doubt });
    if (warnings.length > 0) events.push(warningEvent(step, index, warnings));
  }
  return { steps: await withServedCrds(plan.steps, steps, ports), events };
}

/**
 * CRDs that this pass wrote are mostly served when its other steps are done: then the plan is complete, and need not be written
 * (with all its manifests) and carried out once more to find that. Those of earlier passes were looked at already.
 */
async function withServedCrds(
  before: readonly Step[],
  after: readonly Step[],
  ports: StepPorts,
): Promise<readonly Step[]> {
  if (ports.compat?.keepsUpstream("crd-wait") === true) return after;
  return await Promise.all(
    after.map(async (step, index) => {
      if (step.status !== "WaitingForApi" || before[index]?.status === "WaitingForApi") return step;
      // The next pass reports what keeps it from being read.
      const looked = await readOrRefusal(waitForCrd(step, waitingPorts(ports)));
      return looked.ok ? { ...step, status: looked.value.status } : step;
    }),
  );
}

const waitingPorts = (ports: StepPorts): StepPorts => ({ ...ports, reader: ports.waiting ?? ports.reader });

function warningEvent({ resolving, resource }: Step, index: number, warnings: readonly string[]): StepEvent {
  const during = resolving === "" ? "operator installation" : `installation of operator "${resolving}"`;
  return {
    type: "Warning",
    reason: "AppliedWithWarnings",
    message: `${warnings.length} warning(s) generated during ${during} (${resource.kind} "${resource.name}"): ${warnings.join(", ")}`,
    fieldPath: `status.plan[${index}]`,
  };
}

type StepProblem = StepFailure & { readonly status?: StepStatus };

async function executeStep(
  step: Step,
  plan: ExecutingPlan,
  ports: StepPorts,
  owners: KnownOwners,
  signal: AbortSignal,
): Promise<Result<StepDone, StepProblem>> {
  const isLeftOut = plan.leftOut?.has(step.resolving) === true;
  if (isLeftOut || step.status === "Created" || step.status === "Present")
    return done({ status: step.status, warnings: [] });
  if (step.resource.kind !== "CustomResourceDefinition") {
    switch (step.status) {
      case "WaitingForApi":
        return done({ status: step.status, warnings: [] });
      case "Unknown":
      case "NotPresent":
        break;
      case "NotCreated":
      case "UnsupportedResource":
        return failed({ message: invalidData, forbidden: false });
    }
  }
  // Every pass looks at the CRDs that wait, and their manifests are the largest of a bundle.
  else if (step.status === "WaitingForApi") return done(await waitForCrd(step, waitingPorts(ports)));
  const manifest = await readManifest(step, ports);
  if (!manifest.ok) return failed({ message: manifest.problem, forbidden: false });
  const refused = ports.refusalOf?.(manifest.value);
  if (refused !== undefined)
    return failed({
      message: `${step.resource.kind} ${step.resource.name}: ${refused}`,
      forbidden: false,
      final: true,
    });
  const object = manifest.value as unknown as KubeObject;
  const outcome =
    step.resource.kind === "CustomResourceDefinition"
      ? await executeCrdStep(
          object as CustomResourceDefinition,
          step,
          plan.namespace,
          {
            reader: ports.reader,
            writer: ports.own,
            ...(ports.isInstalled === undefined ? {} : { isInstalled: ports.isInstalled }),
            ...(ports.inTurn === undefined ? {} : { inTurn: ports.inTurn }),
            ...(ports.createdWith === undefined ? {} : { createdWith: ports.createdWith }),
            ...(ports.scoped === ports.own || ports.compat?.keepsUpstream("tenant-grants") === true
              ? {}
              : { scoped: ports.scoped }),
            ...(ports.compat === undefined ? {} : { compat: ports.compat }),
          },
          signal,
        )
      : await applyStep(step, object, plan, ports, owners, signal);
  return outcome.ok
    ? outcome
    : failed({ ...outcome.problem, message: await explainMissingApi(step, outcome.problem, ports) });
}

/** The manifest as an object of its kind: derived RBAC is written without kind and API version, and OLM reads neither for kinds it knows. */
async function readManifest(step: Step, ports: StepPorts): Promise<Result<JsonObject, string>> {
  const { resource } = step;
  // The content of a copied Secret is that of its source; the manifest is not read.
  if (resource.kind === "Secret")
    return done({ apiVersion: resource.version, kind: resource.kind, metadata: { name: resource.name } });
  const text = ports.manifestOf === undefined ? done(resource.manifest ?? "") : await ports.manifestOf(step);
  if (!text.ok) return text;
  const read = readYaml(text.value);
  if (!read.ok) return failed(`error parsing step manifest: ${resource.name}: ${read.problem.message}`);
  if (!isJsonObject(read.value)) return failed(`error parsing step manifest: ${resource.name}: not an object`);
  if (!isJsonObject(read.value["metadata"]))
    return failed(`error parsing step manifest: ${resource.name}: it has no metadata`);
  const kind = resource.kind === "BundleSecret" ? "Secret" : resource.kind;
  return done({ ...read.value, apiVersion: apiVersionOfStep(resource, read.value), kind });
}

/** Steps of hand-written plans state a version without its group, or one that the manifest contradicts. */
function apiVersionOfStep(resource: Step["resource"], { apiVersion }: JsonObject): string {
  const type = typeOfStep(resource);
  if (type !== undefined) return apiVersionOf(type);
  if (resource.kind === "CustomResourceDefinition")
    return apiVersionOf({
      group: customResourceDefinitions.group,
      version: resource.version.slice(resource.version.lastIndexOf("/") + 1),
    });
  return typeof apiVersion === "string" && apiVersion !== "" ? apiVersion : apiVersionOf(resource);
}

/** A 404 on a write mostly means that the cluster does not serve the API any more. */
async function explainMissingApi(step: Step, problem: StepProblem, ports: StepPorts): Promise<string> {
  if (problem.notFound !== true) return problem.message;
  const { group, version, kind } = step.resource;
  const real = kind === "BundleSecret" ? "Secret" : kind;
  if ((await ports.lookUp({ group, version, kind: real })).kind !== "absent") return problem.message;
  return missingApiText(step.resource);
}
