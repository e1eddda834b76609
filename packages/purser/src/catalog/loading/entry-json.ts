import type { JsonObject } from "@purser/kubernetes/json";
import type { ChannelEntryContent } from "../model.ts";

/** A channel entry as catalogs write it: empty edges are left out. */
export function entryJson({ name, replaces, skips, skipRange }: ChannelEntryContent): JsonObject {
  return {
    name,
    ...(replaces === "" ? {} : { replaces }),
    ...(skips.length === 0 ? {} : { skips }),
    ...(skipRange === "" ? {} : { skipRange }),
  };
}
