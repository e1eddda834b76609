import type { Subscription, SubscriptionSpec } from "../../../apis/v0/subscription.ts";
import type { BundleSummary } from "../../../catalog/catalog-index.ts";
import type { Entry } from "../entry.ts";
import { appendedProperties, effectiveProperties } from "../entry.ts";
import type { NewSubscription, ResolvedOperator, UpdatedSubscription } from "../outcome.ts";
import { propertiesText } from "../properties.ts";

export interface ChangeInput {
  readonly chosen: readonly Entry[];
  readonly replaced: ReadonlyMap<Entry, Entry>;
  readonly subscriptions: readonly Subscription[];
  /** Names of the CSVs that exist in the namespace, copied ones included. */
  readonly existing: ReadonlySet<string>;
  /** `spec.startingCSV` of Subscriptions without an installed operator. */
  readonly startingCSVs: ReadonlySet<string>;
}

function serves(entry: Entry, subscription: Subscription): boolean {
  const spec: Partial<SubscriptionSpec> = subscription.spec;
  const { channel = "", source = "", sourceNamespace = "" } = spec;
  const { key } = entry.origin;
  return (
    spec.name === entry.packageName &&
    (channel === "" || channel === entry.channel) &&
    ((source === "" && sourceNamespace === "") || (source === key.name && sourceNamespace === key.namespace))
  );
}

function newSubscription(entry: Entry): NewSubscription {
  const { key } = entry.origin;
  return {
    name: `${entry.packageName}-${entry.channel}-${key.name}-${key.namespace}`,
    spec: {
      source: key.name,
      sourceNamespace: key.namespace,
      name: entry.packageName,
      channel: entry.channel,
      startingCSV: entry.name,
      installPlanApproval: "Automatic",
    },
  };
}

interface Changes {
  readonly operators: readonly ResolvedOperator[];
  readonly updated: readonly UpdatedSubscription[];
}

/** What choosing these bundles means for the namespace: operators to bring in and Subscriptions to move. */
export function* changesOf(input: ChangeInput): Generator<undefined, Changes> {
  const operators: ResolvedOperator[] = [];
  const updated = new Map<Subscription, UpdatedSubscription>();
  const byPackage = Map.groupBy(input.subscriptions, ({ spec }) => spec.name);
  for (const entry of input.chosen) {
    yield;
    const { summary } = entry;
    if (summary === undefined) continue;
    const subscriptions = (byPackage.get(entry.packageName) ?? []).filter((subscription) =>
      serves(entry, subscription),
    );
    const upToDate =
      subscriptions.length > 0 &&
      subscriptions.every(({ status }) => status?.currentCSV === entry.name && input.existing.has(status.currentCSV));
    operators.push(operatorOf(entry, summary, input, subscriptions, upToDate));
    if (upToDate) continue;
    for (const subscription of subscriptions)
      if (subscription.status?.currentCSV !== entry.name)
        updated.set(subscription, { subscription, currentCSV: entry.name });
  }
  return { operators, updated: [...updated.values()] };
}

function operatorOf(
  entry: Entry,
  summary: BundleSummary,
  input: ChangeInput,
  subscriptions: readonly Subscription[],
  upToDate: boolean,
): ResolvedOperator {
  const replaces = input.replaced.get(entry)?.name ?? entry.replaces;
  const properties = effectiveProperties(entry);
  return {
    bundle: summary,
    catalog: entry.origin.key,
    defaultChannel: entry.inDefaultChannel,
    ...(replaces === undefined ? {} : { replaces }),
    ...(input.startingCSVs.has(entry.name) ? { startingCSV: entry.name } : {}),
    properties,
    get propertiesText() {
      return propertiesText(entry.properties, appendedProperties(entry));
    },
    subscriptions,
    ...(subscriptions.length === 0 ? { newSubscription: newSubscription(entry) } : {}),
    upToDate,
  };
}
