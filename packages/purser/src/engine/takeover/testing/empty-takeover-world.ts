import { improved } from "../../../compat.ts";
import type { TakeoverWorld } from "../plan/takeover-world.ts";

/** A cluster in which OLM v0 left nothing. */
export const nothing: TakeoverWorld = {
  compat: improved,
  missingDefinitions: [],
  managers: [],
  leases: [],
  catalogSources: [],
  catalogPods: [],
  installPlans: [],
  subscriptions: [],
  csvs: [],
  csvWorlds: [],
  copies: [],
  olmConfig: undefined,
  groups: [],
  installingUsers: [],
  withoutDefinitions: new Set(),
  packageApi: undefined,
  owned: [],
};
