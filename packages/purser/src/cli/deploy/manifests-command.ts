import type { JsonValue } from "@purser/kubernetes/json";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { writeYaml } from "@purser/kubernetes/text/yaml/go-yaml";
import type { ApiFamily } from "../../apis/api-family.ts";
import { installationObjects, ownNamespaceObject } from "../../deploy/manifests.ts";
import { removalSteps } from "../../deploy/removal.ts";
import { defaultValues, type InstallValues, type ValueName, withValues } from "../../deploy/values.ts";
import { variants } from "../../deploy/variants.ts";
import type { CrdSet } from "../../apis/crd-set.ts";
import { ownCompanions, ownCrds } from "../../engine/own-manifests.ts";
import { namespaceProblem } from "../../engine/catalog-argument.ts";
import { type CommandSpec, flagOption, type Invocation, type Outcome, textOption, UsageError } from "../command.ts";
import { exitCodes } from "../exit-code.ts";
import { crdSetOf, crdSetOption, familiesOf, familiesOption } from "../settings/shared-flags.ts";
import { shown } from "../output/shown.ts";

export const manifestsCommand: CommandSpec = {
  description:
    "For kubectl apply --server-side -f -. The same objects are in deploy/ as Kustomize directories and as a Helm chart; docs/rights.md explains the rights.",
  options: [
    { flags: "--image REF", summary: "image, by tag or by digest" },
    { flags: "--replicas NUMBER", summary: "number of replicas, of which one is the leader (default 2)" },
    familiesOption,
    crdSetOption,
    { flags: "--variant NAME", summary: "a ready-made choice", choices: variants.map(({ name }) => name) },
    { flags: "--rights", summary: "print only the ServiceAccount and its roles" },
    { flags: "--remove", summary: "print the commands that remove Purser, in order" },
  ],
  examples: [
    ["purser manifests --image registry.example/purser:0.1.0", "for both API families, in namespace purser-system"],
    ["purser manifests --rights --apis v1", "the rights of Purser when it serves OLM v1 alone"],
  ],
  run: (invocation) => print(invocation),
};

async function print(invocation: Invocation): Promise<Outcome> {
  const values = valuesOf(invocation);
  if (flagOption(invocation, "remove")) return { exitCode: exitCodes.done, human: shown(...removalSteps(values)) };
  const objects = installationObjects(values);
  const printed = flagOption(invocation, "rights")
    ? objects.filter(({ apiVersion, kind }) => apiVersion.startsWith("rbac.") || kind === "ServiceAccount")
    : [ownNamespaceObject(values), ...(await definitionsOf(values, crdSetOf(invocation))), ...objects];
  return {
    exitCode: exitCodes.done,
    data: printed as unknown as JsonValue,
    verbatim: printed.map((object) => `---\n${writeYaml(object as unknown as JsonValue)}`).join(""),
  };
}

async function definitionsOf({ apis }: InstallValues, set: CrdSet): Promise<readonly KubeObject[]> {
  const families = (["v0", "v1"] as const).filter((family: ApiFamily) => apis[family]);
  return [...(await ownCrds(families, set)), ...ownCompanions(families)];
}

/** @throws UsageError */
function valuesOf(invocation: Invocation): InstallValues {
  const changes: Partial<Record<ValueName, JsonValue>> = {};
  const variant = variants.find(({ name }) => name === textOption(invocation, "variant"));
  Object.assign(changes, variant?.changes);
  if (textOption(invocation, "apis") !== undefined) {
    const families = familiesOf(invocation);
    changes["apis.v0"] = families.includes("v0");
    changes["apis.v1"] = families.includes("v1");
  }
  const namespace = textOption(invocation, "namespace");
  if (namespace !== undefined) {
    const problem = namespaceProblem(namespace);
    if (problem !== undefined) throw new UsageError(`--namespace ${problem}`);
    changes.namespace = namespace;
  }
  const image = textOption(invocation, "image");
  if (image !== undefined) {
    if (!/^[^\s]+$/.test(image)) throw new UsageError(`--image "${image}" is not the name of an image`);
    changes.image = image;
  }
  const replicas = textOption(invocation, "replicas");
  if (replicas !== undefined) {
    if (!/^[1-9]$/.test(replicas)) throw new UsageError(`--replicas "${replicas}" is not a number from 1 to 9`);
    changes.replicas = Number(replicas);
  }
  return withValues(defaultValues, changes);
}
