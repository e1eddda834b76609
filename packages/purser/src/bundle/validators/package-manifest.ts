import { isJsonObject, type JsonObject } from "@purser/kubernetes/json";
import { goQuote } from "@purser/kubernetes/go-quote";
import { listMember, textMember } from "../directory/first-object.ts";
import { type BundleIssue, resultOf, type ValidatorResult } from "./issue.ts";

/** The `*.package.yaml` of the older folder format: its name, and that channels and default channel fit together. */
export function validatePackageManifest(manifest: JsonObject): ValidatorResult {
  const name = textMember(manifest, "packageName");
  const refuse = (text: string): BundleIssue => ({
    rule: "package-manifest",
    level: "Error",
    type: "PackageManifestNotValid",
    detail: `(${name}) ${text}`,
    value: { text: "" },
  });
  const unnamed = name === "" ? [refuse("packageName empty")] : [];
  const channels = listMember(manifest, "channels").map((item) => (isJsonObject(item) ? item : {}));
  if (channels.length === 0) return resultOf(name, [...unnamed, refuse("channels empty")]);
  const wanted = textMember(manifest, "defaultChannel");
  const names = channels.map((channel) => textMember(channel, "name"));
  return resultOf(name, [
    ...unnamed,
    ...(wanted === "" && channels.length > 1
      ? [refuse("default channel is empty but more than one channel exists")]
      : []),
    ...channels.flatMap((channel, index) => {
      const own = textMember(channel, "name");
      return [
        ...(own === "" ? [refuse(`channel ${index} name is empty`)] : []),
        ...(textMember(channel, "currentCSV") === "" ? [refuse(`channel ${goQuote(own)} currentCSV is empty`)] : []),
        ...(names.indexOf(own) < index ? [refuse(`duplicate package manifest channel name ${goQuote(own)}`)] : []),
      ];
    }),
    ...(wanted !== "" && !names.includes(wanted)
      ? [refuse(`default channel ${goQuote(wanted)} not found in the list of declared channels`)]
      : []),
  ]);
}
