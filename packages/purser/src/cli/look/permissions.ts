import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import { clusterRoleBindings, clusterRoles, roleBindings, roles } from "@purser/kubernetes/apis/resources";
import { type JsonObject, plainJson } from "@purser/kubernetes/json";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import { writeYaml } from "@purser/kubernetes/text/yaml/go-yaml";
import { ownerLabel } from "../../apis/v0/labels.ts";
import { ownerKindLabel, ownerNameLabel } from "../../apis/v1/labels.ts";
import type { Installation } from "../../installation/installation.ts";
import { permissionChanges } from "../../review/change-plan/permission-changes.ts";
import { permissionLines } from "../../review/change-plan/plan-words.ts";
import { connect } from "../cluster/connect.ts";
import { findInstallation, readInstallations } from "../cluster/installations.ts";
import { type CommandSpec, flagOption, type Invocation, type Outcome, textOption, UsageError } from "../command.ts";
import { decisionOptions } from "../decision/decision-world.ts";
import { exitCodes } from "../exit-code.ts";
import { comparedVersions } from "../find/compare-command.ts";
import { showCommand } from "../find/show-command.ts";
import { shown } from "../output/shown.ts";

export const permissionsCommand: CommandSpec = {
  arguments: [
    { name: "installation", summary: "an installation, a PACKAGE, or ask" },
    { name: "verb", summary: "with ask: get, list, create ..." },
    { name: "resource", summary: "with ask: subscriptions.operators.coreos.com, secrets ..." },
  ],
  options: [
    {
      flags: "--least",
      summary: "print the account and the roles that suffice to install it, for an OperatorGroup or a ClusterExtension",
    },
    { flags: "--account NAME", summary: "with --least: name of the ServiceAccount (default installer)" },
    { flags: "--diff-to VERSION", summary: "compare with this version: permissions gained and lost" },
    ...decisionOptions.filter(({ flags }) => /^--(catalog|snapshot|bundles|pull|channel|from-source)/.test(flags)),
  ],
  examples: [
    ["purser permissions data/etcd", "what the accounts of the operator may do"],
    ["purser permissions data/etcd --diff-to 0.9.4", "what an upgrade would add and remove"],
    ["purser permissions etcd --least -n data", "an account with no more rights than etcd needs"],
    ["purser permissions ask approve installplans.operators.coreos.com -n data", "a role to ask an administrator for"],
  ],
  async run(invocation) {
    const [what, verb, resource] = invocation.arguments;
    if (what === undefined) throw new UsageError("name an installation or a package", "purser list -A");
    if (what === "ask") return ask(invocation, verb, resource);
    if (verb !== undefined) throw new UsageError(`unexpected argument "${verb}"`, "purser permissions --help");
    if (flagOption(invocation, "least")) {
      const { leastPermissions } = await import("./least-permissions.ts");
      return leastPermissions(invocation, what);
    }
    return ofOperator(invocation, what);
  },
};

async function ofOperator(invocation: Invocation, what: string): Promise<Outcome> {
  const onFiles = invocation.options["catalog"] !== undefined || invocation.options["snapshot"] !== undefined;
  const asPackage = (): Promise<Outcome> =>
    showCommand.run({ ...invocation, options: { ...invocation.options, permissions: true } });
  if (onFiles) return asPackage();
  const connection = connect(invocation);
  try {
    const { client } = connection;
    const all = await readInstallations(client, undefined);
    const found = findInstallation(what, all, textOption(invocation, "namespace"));
    if (found.kind === "missing" || found.installation.bundle === undefined) return await asPackage();
    const { installation } = found;
    const to = textOption(invocation, "diff-to");
    if (to !== undefined)
      return await comparedVersions(
        withFlags(invocation, installation),
        { packageName: installation.packageName, from: installation.version ?? "", to },
        ["permissions"],
      );
    return held(installation, await grantedTo(client, installation));
  } finally {
    connection.close();
  }
}

/** The flags of `compare` that follow from the installation. */
const withFlags = (invocation: Invocation, { api, namespace }: Installation): Invocation => ({
  ...invocation,
  options: {
    ...invocation.options,
    ...(api === "v1" ? { "as-extension": true } : {}),
    ...(namespace === undefined ? {} : { namespace }),
  },
});

/** The roles of an installation, with their bindings. */
async function grantedTo(client: KubeClient, installation: Installation): Promise<readonly JsonObject[]> {
  const { api, name, bundle = "" } = installation;
  const labelSelector =
    api === "v1" ? `${ownerKindLabel}=ClusterExtension,${ownerNameLabel}=${name}` : `${ownerLabel}=${bundle}`;
  const types: readonly ResourceType[] = [roles, roleBindings, clusterRoles, clusterRoleBindings];
  const lists = await Promise.all(
    types.map(async (type) =>
      (await client.list(type, { labelSelector })).map((object) => ({
        apiVersion: "rbac.authorization.k8s.io/v1",
        kind: type.kind,
        ...(plainJson(object as KubeObject) as JsonObject),
      })),
    ),
  );
  return lists.flat();
}

function held({ reference, version }: Installation, granted: readonly JsonObject[]): Outcome {
  const permissions = permissionChanges([], granted);
  const accounts = permissions.map(({ account, namespace, added }) => ({
    account,
    ...(namespace === undefined ? {} : { namespace }),
    rules: added.map(({ rule, flags }) => ({ ...(plainJson(rule) as JsonObject), flags: [...flags] })),
  }));
  const lines = permissions.flatMap((one) => {
    const { title, added } = permissionLines(one);
    return [title, ...added.map((line) => `  ${line}`)];
  });
  return {
    exitCode: exitCodes.done,
    data: { apiVersion: "purser.dev/v1alpha1", kind: "Permissions", installation: reference, accounts },
    human: shown(
      `${reference} ${version ?? ""} may`.replaceAll(/ {2,}/g, " "),
      ...(lines.length === 0 ? ["  do nothing: the operator has no roles"] : lines.map((line) => `  ${line}`)),
    ),
  };
}

/** The role that gives a right, with the binding for whoever asks. */
function ask(invocation: Invocation, verb: string | undefined, resource: string | undefined): Promise<Outcome> {
  if (verb === undefined || resource === undefined)
    throw new UsageError(
      "ask requires a verb and a resource",
      "purser permissions ask list subscriptions.operators.coreos.com",
    );
  const [plural = "", ...group] = resource.split(".");
  const namespace = textOption(invocation, "namespace");
  const name = `${verb}-${plural.replaceAll("/", "-")}`;
  const kind = namespace === undefined ? "ClusterRole" : "Role";
  const user = textOption(invocation, "as") ?? "NAME-OF-THE-USER";
  const metadata = { name, ...(namespace === undefined ? {} : { namespace }) };
  const apiVersion = "rbac.authorization.k8s.io/v1";
  const items = [
    { apiVersion, kind, metadata, rules: [{ apiGroups: [group.join(".")], resources: [plural], verbs: [verb] }] },
    {
      apiVersion,
      kind: `${kind}Binding`,
      metadata,
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind, name },
      subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: user }],
    },
  ];
  return Promise.resolve({
    exitCode: exitCodes.done,
    data: { apiVersion: "v1", kind: "List", items },
    human: shown(
      ...items.flatMap((item, at) => [...(at === 0 ? [] : ["---"]), ...writeYaml(item).trimEnd().split("\n")]),
    ),
  });
}
