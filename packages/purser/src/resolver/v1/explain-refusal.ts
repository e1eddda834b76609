import type { ClusterCatalog } from "../../apis/v1/cluster-catalog.ts";
import type { CauseCode, Explanation, Reason, Remedy } from "../../explanation/explanation.ts";
import { listOf, shellWord, summaryOf } from "../../explanation/summary.ts";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { isJsonObject, member } from "@purser/kubernetes/json";
import { formatVersion } from "@purser/kubernetes/version";
import type { ExtensionCatalog, ExtensionInput } from "./input.ts";
import type { Candidate } from "./package-content.ts";
import { patchExtension } from "./patch-extension.ts";

const nameOf = ({ metadata }: ClusterCatalog): string => metadata.name ?? "";

interface Refusal {
  readonly code: CauseCode;
  readonly summary: string;
  readonly facts: JsonObject;
  readonly leaves: readonly Omit<Reason, "upstream">[];
  readonly remedies: readonly Remedy[];
  readonly upstream: string;
}

/** An explanation whose leaves all carry OLM's one text. */
export function explained(input: ExtensionInput, refusal: Refusal): Explanation {
  const { code, summary, facts, leaves, remedies, upstream } = refusal;
  return {
    code,
    summary: summaryOf(summary),
    facts: { extension: input.name, package: input.filter.packageName, ...facts } as Explanation["facts"],
    derivation: leaves.map((leaf) => ({ ...leaf, upstream })),
    remedies,
  };
}

const subjectOf = (input: ExtensionInput): string => `ClusterExtension ${input.name}`;

/** One leaf that says the same as the summary. */
function alone(input: ExtensionInput, text: string, relation: Reason["relation"] = "fact"): Refusal["leaves"] {
  return [{ relation, subject: subjectOf(input), text }];
}

export function explainSelector(input: ExtensionInput, upstream: string): Explanation {
  const summary = `${subjectOf(input)} selects catalogs by a selector that cannot be read`;
  return explained(input, {
    code: "CatalogNotFound",
    summary,
    facts: { selector: (input.filter.selector ?? null) as JsonValue, problem: upstream },
    leaves: alone(input, summary, "requested"),
    remedies: [patchExtension(input.name, "Select every catalog", { selector: null })],
    upstream,
  });
}

export function explainRange(input: ExtensionInput, upstream: string): Explanation {
  const range = input.filter.version ?? "";
  const summary = `${subjectOf(input)} asks for version "${range}", which is no version range`;
  return explained(input, {
    code: "NoVersionInRange",
    summary,
    facts: { range, problem: upstream },
    leaves: alone(input, summary, "requested"),
    remedies: [patchExtension(input.name, "Allow every version", { version: null })],
    upstream,
  });
}

export function explainUnavailable(
  input: ExtensionInput,
  { catalog, content }: ExtensionCatalog,
  upstream: string,
): Explanation {
  const name = nameOf(catalog);
  const cause = content.kind === "unavailable" ? content.cause : "";
  const text = `ClusterCatalog ${name} cannot be read${cause === "" ? "" : `: ${cause}`}`;
  return explained(input, {
    code: "CatalogUnavailable",
    summary: `${subjectOf(input)} cannot be resolved while ${text}`,
    facts: { catalog: name, cause },
    leaves: [{ relation: "fact", subject: `ClusterCatalog ${name}`, text }],
    remedies: [
      {
        summary: "Look at the catalog's status and correct its image",
        command: `kubectl describe clustercatalogs.olm.operatorframework.io ${shellWord(name)}`,
      },
      {
        summary: `Leave ${name} out of resolution until it works`,
        command: `kubectl patch clustercatalogs.olm.operatorframework.io ${shellWord(name)} --type merge -p '{"spec":{"availabilityMode":"Unavailable"}}'`,
        patch: { spec: { availabilityMode: "Unavailable" } },
      },
    ],
    upstream,
  });
}

export function explainInstalledVersion(input: ExtensionInput, upstream: string): Explanation {
  const version = input.installed?.version ?? "";
  const summary = `${subjectOf(input)} has ${input.installed?.name ?? ""} installed, whose version "${version}" cannot be read, so no upgrade can be chosen`;
  return explained(input, {
    code: "BundleInvalid",
    summary,
    facts: { installed: input.installed?.name ?? "", version, problem: upstream },
    leaves: alone(input, summary, "installed"),
    remedies: [
      patchExtension(input.name, "Choose the next version yourself", { upgradeConstraintPolicy: "SelfCertified" }),
    ],
    upstream,
  });
}

export function explainBadVersion(
  input: ExtensionInput,
  candidate: Candidate,
  catalog: string,
  upstream: string,
): Explanation {
  const summary = `${subjectOf(input)} could only get ${candidate.name} of catalog ${catalog}, whose version cannot be read`;
  return explained(input, {
    code: "BundleInvalid",
    summary,
    facts: { bundle: candidate.name, catalog, problem: upstream },
    leaves: [{ relation: "excluded", subject: candidate.name, text: summary }],
    remedies: [{ summary: `Correct the olm.package property of ${candidate.name} in catalog ${catalog}` }],
    upstream,
  });
}

const versionText = ({ version }: Candidate): string => (version.ok ? formatVersion(version.value.version) : "?");

interface TiedOffer {
  readonly catalog: string;
  readonly version: string;
  readonly priority: number;
}

/** Two tied offers are two leaves; three or more are one leaf, because removing one of them does not resolve the tie. */
function offerLeaves(offers: readonly TiedOffer[]): Refusal["leaves"] {
  const words = ({ catalog, version, priority }: TiedOffer): string =>
    `Catalog ${catalog} offers version ${version} at priority ${priority}`;
  if (offers.length < 3)
    return offers.map((offer) => ({
      relation: "provided",
      subject: `ClusterCatalog ${offer.catalog}`,
      text: words(offer),
    }));
  const subject = `ClusterCatalogs ${listOf(offers.map(({ catalog }) => catalog))}`;
  return [{ relation: "provided", subject, text: offers.map(words).join("; ") }];
}

export function explainAmbiguity(
  input: ExtensionInput,
  tied: readonly { readonly catalog: ExtensionCatalog; readonly candidate: Candidate }[],
  upstream: string,
): Explanation {
  const offers = tied
    .map(({ catalog, candidate }) => ({
      catalog: nameOf(catalog.catalog),
      version: versionText(candidate),
      priority: catalog.catalog.spec.priority ?? 0,
    }))
    .sort((left, right) => (left.catalog < right.catalog ? -1 : 1));
  const names = offers.map(({ catalog }) => catalog);
  const [first] = names;
  return explained(input, {
    code: "AmbiguousCatalog",
    summary: `${subjectOf(input)} finds package ${input.filter.packageName} in catalogs ${listOf(names)} of equal priority ${offers[0]?.priority ?? 0}`,
    facts: { catalogs: offers },
    leaves: offerLeaves(offers),
    remedies: names
      .slice(0, 3)
      .map((name) =>
        patchExtension(input.name, `Use catalog ${name}`, {
          selector: { matchLabels: { "olm.operatorframework.io/metadata.name": name } },
        }),
      )
      .concat(
        first === undefined
          ? []
          : [
              {
                summary: `Prefer catalog ${first} everywhere`,
                command: `kubectl patch clustercatalogs.olm.operatorframework.io ${shellWord(first)} --type merge -p '{"spec":{"priority":${(offers[0]?.priority ?? 0) + 1}}}'`,
                patch: { spec: { priority: (offers[0]?.priority ?? 0) + 1 } },
              },
            ],
      ),
    upstream,
  });
}

function dependencyWords(type: string, value: JsonValue): string {
  const text = (name: string): string => {
    const found = isJsonObject(value) ? member(value, name) : undefined;
    return typeof found === "string" ? found : "";
  };
  switch (type) {
    case "olm.package.required":
      return `package ${text("packageName")} ${text("versionRange")}`.trim();
    case "olm.gvk.required":
      return `API ${text("kind")} (${text("group")}/${text("version")})`;
    default:
      return text("failureMessage") === "" ? "an olm.constraint" : `"${text("failureMessage")}"`;
  }
}

export function explainDependency(input: ExtensionInput, candidate: Candidate, upstream: string): Explanation {
  const dependencies = candidate.properties.flatMap(({ type, value }) =>
    ["olm.package.required", "olm.gvk.required", "olm.constraint"].includes(type) ? [dependencyWords(type, value)] : [],
  );
  const packageName = shellWord(input.filter.packageName);
  const namespace = shellWord(input.namespace ?? "operators");
  return explained(input, {
    code: "DependencyNotAllowed",
    summary: `${subjectOf(input)} would get ${candidate.name}, which requires ${listOf(dependencies)}; a ClusterExtension installs no dependencies`,
    facts: { bundle: candidate.name, dependencies },
    // Any one of them is enough, so together they are one reason.
    leaves: [
      {
        relation: "requires",
        subject: candidate.name,
        text: `${candidate.name} requires ${listOf(dependencies, dependencies.length)}`,
      },
    ],
    remedies: [
      {
        summary: "Install it as a Subscription, which brings in what it requires",
        command: `purser install ${packageName} -n ${namespace} --as-subscription`,
      },
    ],
    upstream,
  });
}
