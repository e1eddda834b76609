import type { APIService } from "@purser/kubernetes/apis/apiregistration";
import { apiServices } from "@purser/kubernetes/apis/resources";
import type { Machinery } from "../machinery.ts";
import { tableOf } from "./served-kind.ts";

const table = tableOf(apiServices);

/** The APIService with a backend for the group and version; undefined when this server serves it itself. */
export function remoteService(
  { storage }: Pick<Machinery, "storage">,
  group: string,
  version: string,
): APIService | undefined {
  const found = storage.get(table, `${version}.${group}`) as APIService | undefined;
  return found?.spec?.service === undefined ? undefined : found;
}
