import { summaryOf } from "../../explanation/summary.ts";
import { formatVersion } from "@purser/kubernetes/version";
import type { Resolution } from "../resolution.ts";
import { stepwise } from "../resolution.ts";
import type { WhyBundle } from "../why-bundle.ts";
import { explainNothingFound } from "./explain-nothing.ts";
import type { ExtensionWorld, Offer } from "./extension-steps.ts";
import { askedText, catalogName, decidedExtension, extensionWorld } from "./extension-steps.ts";
import { filtered } from "./filters.ts";
import type { ExtensionInput } from "./input.ts";
import type { ResolvedExtension } from "./outcome.ts";
import type { Candidate } from "./package-content.ts";

const priorityOf = ({ catalog }: Offer): number => catalog.catalog.spec.priority ?? 0;
const nameOf = ({ catalog }: Offer): string => catalogName(catalog.catalog);
const words = (offer: Offer, bundle: string): string => `${bundle} (catalog ${nameOf(offer)})`;

/** The request of the extension as text. */
function requestWords({ filter }: ExtensionInput): string {
  const { packageName, version = "", channels = [] } = filter;
  const range = version === "" ? "" : ` ${version}`;
  return `package ${packageName}${range}${channels.length === 0 ? "" : `, channel ${channels.join(" or ")}`}`;
}

function candidateIn(offer: Offer, bundle: string): Candidate | undefined {
  return offer.content.candidates.find(({ name }) => name === bundle);
}

/** The reason for which the chosen bundle comes before one that was possible too. */
function lessPreferred(
  offer: Offer,
  candidate: Candidate,
  winner: Offer,
  chosen: ResolvedExtension,
): Extract<WhyBundle, { readonly kind: "lessPreferred" }> {
  const version = candidate.version.ok ? formatVersion(candidate.version.value.version) : "unreadable";
  const wins = candidateIn(winner, chosen.bundle.name);
  const because =
    candidate.deprecated && wins?.deprecated !== true
      ? `catalog ${nameOf(offer)} deprecates ${candidate.name}`
      : offer === winner || priorityOf(offer) === priorityOf(winner)
        ? `version ${chosen.version} is newer than ${version}`
        : `catalog ${nameOf(winner)} has priority ${priorityOf(winner)}, ${nameOf(offer)} has ${priorityOf(offer)}`;
  const text = `${words(winner, chosen.bundle.name)} comes before ${words(offer, candidate.name)}: ${because}`;
  return { kind: "lessPreferred", text, instead: chosen.bundle.name };
}

/** The filters that rule the bundle out, found by a world in which the package has no other. */
function* excluded(input: ExtensionInput, world: ExtensionWorld, bundle: string): Generator<undefined, WhyBundle> {
  const offers = world.offers.flatMap(({ catalog, content }) => {
    const candidates = content.candidates.filter(({ name }) => name === bundle);
    return candidates.length === 0 ? [] : [{ catalog, content: { ...content, candidates } }];
  });
  const explanation = yield* explainNothingFound({ ...world, input, offers, upstream: askedText(input, []) });
  const summary = summaryOf(`${bundle} cannot be chosen: ${explanation.summary}`);
  return { kind: "excluded", explanation: { ...explanation, summary } };
}

function* whySteps(input: ExtensionInput, bundle: string): Generator<undefined, WhyBundle> {
  const world = yield* extensionWorld(input);
  if (world.kind === "failed") return { kind: "undecided", explanation: world.explanation };
  const holders = world.offers.filter((offer) => candidateIn(offer, bundle) !== undefined);
  if (holders.length === 0)
    return {
      kind: "notAsked",
      text: `ClusterExtension ${input.name} asks for ${requestWords(input)}; no catalog that it uses has ${bundle} in that package`,
    };
  const possible = holders.filter((offer) =>
    filtered(offer.content, world.rules, world.active).some(({ name }) => name === bundle),
  );
  if (possible.length === 0) return yield* excluded(input, world, bundle);
  const outcome = yield* decidedExtension(input, world);
  if (outcome.kind === "failed") return { kind: "undecided", explanation: outcome.explanation };
  const winner = world.offers.find((offer) => nameOf(offer) === outcome.catalog);
  if (outcome.bundle.name === bundle)
    return {
      kind: "chosen",
      text: `ClusterExtension ${input.name} asks for ${requestWords(input)}; this is the best of catalog ${outcome.catalog}`,
    };
  // Of several catalogs with the bundle, the preferred one is explained.
  const [offer] = possible.toSorted((left, right) => priorityOf(right) - priorityOf(left));
  const candidate = offer === undefined ? undefined : candidateIn(offer, bundle);
  if (offer === undefined || candidate === undefined || winner === undefined)
    throw new Error(`bundle ${bundle} was offered, but is not in its catalog`);
  return lessPreferred(offer, candidate, winner, outcome);
}

/** Why a bundle, named as in the catalog, is or is not what a ClusterExtension gets. */
export function whyExtensionBundle(input: ExtensionInput, bundle: string): Resolution<WhyBundle> {
  return stepwise(whySteps(input, bundle));
}
