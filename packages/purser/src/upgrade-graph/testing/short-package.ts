import type { DeclaredChannel, DeclaredEntry, PackageVersions } from "../package-versions.ts";

/**
 * A package in few words. Channels divided by `|`, entries by `;`: `stable: 1.2.0 r=1.1.0 s=1.0.0,0.9.0 sr=<1.0.0; 1.1.0 | fast: 1.2.0`.
 * A version stands for the bundle `p.vVERSION`; the first channel is the default one. Flags: `dep` deprecates the bundle, `gone` leaves
 * it out of the catalog. Places count entries from line 1.
 */
export function shortPackage(text: string): PackageVersions {
  const bundles = new Map<string, { readonly version: string; readonly deprecation?: string } | undefined>();
  let line = 0;
  const channels = text.split("|").map((part): DeclaredChannel => {
    const [name = "", body = ""] = part.split(/:(.*)/s);
    const entries = body
      .split(";")
      .map((entry) => entry.trim())
      .filter((entry) => entry !== "")
      .map((entry): DeclaredEntry => {
        const [version = "", ...words] = entry.split(" ");
        const value = (key: string): string | undefined =>
          new RegExp(` ${key}=(.*?)(?= \\w+=| dep| gone|$)`).exec(entry)?.[1];
        const known = bundles.get(named(version));
        const deprecation = words.includes("dep") ? "old" : known?.deprecation;
        if (!words.includes("gone"))
          bundles.set(named(version), { version, ...(deprecation === undefined ? {} : { deprecation }) });
        const replaces = value("r");
        return {
          name: named(version),
          replaces: replaces === undefined ? undefined : named(replaces),
          skips: value("s")?.split(",").map(named) ?? [],
          skipRange: value("sr"),
          place: { file: "catalog.yaml", line: ++line },
        };
      });
    return { name: name.trim(), entries };
  });
  return {
    name: "p",
    defaultChannel: channels[0]?.name ?? "",
    bundles: [...bundles].flatMap(([name, bundle]) => (bundle === undefined ? [] : [{ name, ...bundle }])),
    channels,
  };
}

/** The name of the bundle of a version. */
export function named(version: string): string {
  return `p.v${version}`;
}
