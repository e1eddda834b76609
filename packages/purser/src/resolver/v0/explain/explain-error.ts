import type { OperatorGroup } from "../../../apis/v0/operator-group.ts";
import type { Explanation, Remedy } from "../../../explanation/explanation.ts";
import { listOf, shellWord, summaryOf } from "../../../explanation/summary.ts";
import { bundleWords } from "./derivation.ts";
import { derivationLeaf } from "./error-leaf.ts";
import type { CatalogKey, NamespaceCatalog, NamespaceInput } from "../input.ts";
import type { InstalledProblem } from "../installed-snapshot.ts";
import type { ExpansionProblem } from "../problem.ts";

/** Errors joined as Kubernetes' `NewAggregate` does: equal texts once, in brackets when there are several. */
export function joinedErrors(messages: readonly string[]): string {
  const unique = [...new Set(messages)];
  return unique.length === 1 ? (unique[0] ?? "") : `[${unique.join(", ")}]`;
}

export function explainOperatorGroups(
  namespace: string,
  groups: readonly OperatorGroup[],
  upstream: string,
): Explanation {
  const names = groups.map((group) => group.metadata.name ?? "").sort();
  const missing = names.length === 0;
  const remedies: readonly Remedy[] = missing
    ? [
        {
          summary: "Create an OperatorGroup for all namespaces",
          command: `printf 'apiVersion: operators.coreos.com/v1\\nkind: OperatorGroup\\nmetadata: {name: global, namespace: ${namespace}}\\n' | kubectl apply -f -`,
        },
      ]
    : newerThanFirst(groups).map((name) => ({
        summary: `Delete OperatorGroup ${name}`,
        command: `kubectl delete operatorgroups.operators.coreos.com ${shellWord(name)} -n ${shellWord(namespace)}`,
        deletes: "objects",
      }));
  const text = missing
    ? `Namespace ${namespace} has no OperatorGroup; operators need exactly one`
    : `Namespace ${namespace} has ${names.length} OperatorGroups (${listOf(names)}); operators need exactly one`;
  return {
    code: missing ? "OperatorGroupMissing" : "OperatorGroupAmbiguous",
    summary: summaryOf(text),
    facts: { namespace, count: names.length, names },
    derivation: [derivationLeaf(`namespace ${namespace}`, text, upstream)],
    remedies,
  };
}

/** The operators of the namespace belong to the group that was created first. */
function newerThanFirst(groups: readonly OperatorGroup[]): readonly string[] {
  const place = ({ metadata: { creationTimestamp = "", name = "" } }: OperatorGroup): string =>
    `${creationTimestamp}\n${name}`;
  const [, ...others] = groups.toSorted((a, b) => (place(a) < place(b) ? -1 : 1));
  return others.map(({ metadata: { name = "" } }) => name);
}

export function explainCatalogs(
  input: NamespaceInput,
  unavailable: readonly NamespaceCatalog[],
  upstream: string,
): Explanation {
  const named = unavailable.map(({ key, content }) => ({
    catalog: `${key.namespace}/${key.name}`,
    cause: content.kind === "unavailable" ? content.cause : "",
  }));
  const [first] = unavailable;
  const text = `Nothing is decided in ${input.namespace} while ${listOf(named.map(({ catalog }) => `catalog ${catalog}`))} cannot be read${named[0]?.cause ? `: ${named[0].cause}` : ""}`;
  return {
    code: "CatalogUnavailable",
    summary: summaryOf(text),
    facts: { namespace: input.namespace, catalogs: named },
    derivation: [
      // Any one of them is enough, so together they are one reason.
      derivationLeaf(
        `catalog ${listOf(
          named.map(({ catalog }) => catalog),
          named.length,
        )}`,
        named
          .map(({ catalog, cause }) => `Catalog ${catalog} cannot be read${cause === "" ? "" : `: ${cause}`}`)
          .join("; "),
        upstream,
      ),
    ],
    remedies:
      first === undefined
        ? []
        : [
            {
              summary: "Look at the catalog's status and correct its image or address",
              command: `kubectl describe catalogsources.operators.coreos.com ${shellWord(first.key.name)} -n ${shellWord(first.key.namespace)}`,
            },
            // Without a catalog that it names, a Subscription would be refused as well.
            ...(isNamed(input, first.key)
              ? []
              : [
                  {
                    summary: `Delete catalog ${first.key.namespace}/${first.key.name}${first.key.namespace === input.globalNamespace ? ", which serves all namespaces" : ""}`,
                    command: `kubectl delete catalogsources.operators.coreos.com ${shellWord(first.key.name)} -n ${shellWord(first.key.namespace)}`,
                    deletes: "objects",
                  } as const,
                ]),
          ],
  };
}

const isNamed = ({ subscriptions }: NamespaceInput, { namespace, name }: CatalogKey): boolean =>
  subscriptions.some(({ spec }) => spec.source === name && spec.sourceNamespace === namespace);

export function explainInstalled(input: NamespaceInput, problem: InstalledProblem, upstream: string): Explanation {
  const text = `Installed ${problem.csv} in ${input.namespace} cannot be taken into account: ${problem.message}`;
  return {
    code:
      problem.message.includes("in phase") || problem.message.includes("already been seen")
        ? "RolloutFailed"
        : "BundleInvalid",
    summary: summaryOf(text),
    facts: { namespace: input.namespace, csv: problem.csv, message: problem.message },
    derivation: [derivationLeaf(`ClusterServiceVersion ${problem.csv}`, text, upstream)],
    remedies: [
      {
        summary: `Delete ClusterServiceVersion ${problem.csv}; its Subscription installs it again`,
        command: `kubectl delete clusterserviceversions.operators.coreos.com ${shellWord(problem.csv)} -n ${shellWord(input.namespace)}`,
        deletes: "objects",
      },
    ],
  };
}

/** The text of a problem with its bundle or channel. */
function problemWords(problem: ExpansionProblem): { readonly subject: string; readonly text: string } {
  if (problem.kind === "requirement") {
    const { entry } = problem;
    const subject = entry === undefined ? "" : bundleWords(entry);
    return { subject, text: `${subject} states a requirement that cannot be read: ${problem.message}` };
  }
  if (problem.channel === "")
    return {
      subject: `package ${problem.packageName}`,
      text: `several installed operators of package "${problem.packageName}" could meet one requirement: ${listOf(problem.heads)}`,
    };
  const subject = `channel ${problem.channel} of package ${problem.packageName}`;
  return { subject, text: `${subject} has no order: ${describeOrder(problem.kind, problem.heads)}` };
}

/** Catalog content that cannot be put into an order or read as a requirement. */
/** Any one problem is enough to decide nothing, so together they are one reason. */
function expansionReason(problems: readonly ExpansionProblem[]): Explanation["derivation"] {
  const words = problems.map(problemWords);
  const [first] = words;
  if (first === undefined) return [];
  const text = listOf(
    words.map((problem) => problem.text),
    5,
  );
  return [derivationLeaf(first.subject, text, joinedErrors(problems.map(({ message }) => message)))];
}

export function explainExpansion(input: NamespaceInput, problems: readonly ExpansionProblem[]): Explanation {
  const unique = [...new Map(problems.map((problem) => [problem.message, problem])).values()];
  const first = unique[0];
  const installed = unique.some((problem) => problem.kind !== "requirement" && problem.channel === "");
  return {
    code: installed ? "PackageConflict" : "CatalogInvalid",
    summary: summaryOf(
      `Nothing is decided in ${input.namespace}: ${first === undefined ? "" : problemWords(first).text}`,
    ),
    facts: { namespace: input.namespace, problems: unique.map(({ message }) => message) },
    derivation: expansionReason(unique),
    remedies: [
      installed
        ? {
            summary: "Delete all but one of these ClusterServiceVersions; to list them",
            command: `kubectl get clusterserviceversions.operators.coreos.com -n ${shellWord(input.namespace)}`,
          }
        : {
            summary: "Correct the catalog (purser catalog lint shows the place), or use another one; to list them",
            command: "purser source list",
          },
    ],
  };
}

function describeOrder(kind: "noHead" | "cycle" | "severalChains", heads: readonly string[]): string {
  switch (kind) {
    case "noHead":
      return "every entry is replaced by another";
    case "cycle":
      return `the replacements below ${heads[0] ?? ""} form a cycle`;
    case "severalChains":
      return `it has several heads, ${listOf(heads)}`;
  }
}
