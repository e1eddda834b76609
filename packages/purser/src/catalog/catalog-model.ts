import { goQuote } from "@purser/kubernetes/go-quote";
import type { Place } from "@purser/kubernetes/place";
import { parseVersion, type Version } from "@purser/kubernetes/version";
import { compareBytes } from "@purser/kubernetes/text/documents";
import type {
  BundleContent,
  CatalogEntry,
  ChannelContent,
  ChannelEntryContent,
  DeprecationsContent,
  PackageContent,
} from "./model.ts";
import { KnownImages } from "./known-images.ts";
import { labelProblems } from "./label-form.ts";
import type { CatalogProblem, CatalogRule } from "./problem.ts";
import { parseRelease } from "./release.ts";

export interface ModelPackage {
  readonly name: string;
  readonly place: Place;
  readonly defaultChannel: string;
  readonly channels: Map<string, ModelChannel>;
  readonly bundleNames: Set<string>;
  /** Message of its deprecation; "" is a deprecation without message. */
  deprecation?: string;
}

export interface ModelChannel {
  readonly name: string;
  readonly place: Place;
  readonly entries: Map<string, ModelEntry>;
  deprecation?: string;
}

/** An entry of a channel, with its bundle when there is one. */
export interface ModelEntry {
  readonly entry: ChannelEntryContent;
  readonly place: Place;
  bundle?: ModelBundle;
  deprecation?: string;
}

export interface ModelBundle {
  readonly content: BundleContent;
  readonly place: Place;
  readonly version: Version;
  readonly release: string;
}

export interface ModelOptions {
  /** Upstream looks for entries without bundle in the last channel of each package only. */
  readonly lastChannelOnly?: boolean;
}

type Of<Content> = CatalogEntry & { readonly content: Content };

/**
 * Joins the blobs of a catalog into packages, channels and bundles. Problems come in upstream's order: its loader
 * stops at the first one, ours leaves out the faulty blob and goes on.
 */
export class CatalogModel {
  readonly packages = new Map<string, ModelPackage>();
  readonly problems: CatalogProblem[] = [];
  readonly #missing = new Map<string, Set<string>>();
  readonly #images = new KnownImages();

  constructor(entries: readonly CatalogEntry[], { lastChannelOnly = false }: ModelOptions = {}) {
    for (const entry of entries) if (hasKind(entry, "package")) this.#addPackage(entry);
    for (const entry of entries) if (hasKind(entry, "channel")) this.#addChannel(entry, lastChannelOnly);
    for (const entry of entries) if (hasKind(entry, "bundle")) this.#addBundle(entry);
    this.#reportMissing();
    this.#addDefaultChannels();
    let item = 0;
    const seen = new Set<string>();
    for (const entry of entries) if (hasKind(entry, "deprecations")) this.#addDeprecations(entry, item++, seen);
  }

  #refuse(entry: CatalogEntry, rule: CatalogRule, message: string): void {
    this.problems.push({
      rule,
      message,
      place: entry.place,
      packageName: entry.packageName,
      ...(entry.content.kind === "channel" ? { channel: entry.name } : {}),
      ...(entry.content.kind === "bundle" ? { bundle: entry.name } : {}),
    });
  }

  #addPackage(entry: Of<PackageContent>): void {
    const { name, place } = entry;
    if (name === "") return this.#refuse(entry, "package-name", "config contains package with no name");
    if (this.packages.has(name)) return this.#refuse(entry, "duplicate-package", `duplicate package ${goQuote(name)}`);
    const complaints = labelProblems(name);
    if (complaints.length > 0)
      return this.#refuse(entry, "package-name", `invalid package name ${goQuote(name)}: [${complaints.join(" ")}]`);
    const { defaultChannel } = entry.content;
    this.packages.set(name, { name, place, defaultChannel, channels: new Map(), bundleNames: new Set() });
  }

  #addChannel(entry: Of<ChannelContent>, lastChannelOnly: boolean): void {
    const { name, packageName, place } = entry;
    const parent = this.packages.get(packageName);
    if (parent === undefined)
      return this.#refuse(
        entry,
        "unknown-package",
        `unknown package ${goQuote(packageName)} for channel ${goQuote(name)}`,
      );
    if (name === "")
      return this.#refuse(entry, "channel-name", `package ${goQuote(packageName)} contains channel with no name`);
    if (parent.channels.has(name))
      return this.#refuse(
        entry,
        "duplicate-channel",
        `package ${goQuote(packageName)} has duplicate channel ${goQuote(name)}`,
      );
    const entries = new Map<string, ModelEntry>();
    for (const each of entry.content.entries) {
      if (!entries.has(each.name)) entries.set(each.name, { entry: each, place });
      else
        this.#refuse(
          entry,
          "duplicate-entry",
          `invalid package ${goQuote(packageName)}, channel ${goQuote(name)}: duplicate entry ${goQuote(each.name)}`,
        );
    }
    const known = lastChannelOnly ? [] : (this.#missing.get(packageName) ?? []);
    this.#missing.set(packageName, new Set([...known, ...entries.keys()]));
    parent.channels.set(name, { name, place, entries });
  }

  #addBundle(entry: Of<BundleContent>): void {
    const { name, packageName, place, content } = entry;
    const refuse = (rule: CatalogRule, message: string): void => this.#refuse(entry, rule, message);
    if (packageName === "") return refuse("bundle-package", `package name must be set for bundle ${goQuote(name)}`);
    const parent = this.packages.get(packageName);
    if (parent === undefined)
      return refuse("unknown-package", `unknown package ${goQuote(packageName)} for bundle ${goQuote(name)}`);
    if (parent.bundleNames.has(name))
      return refuse("duplicate-bundle", `package ${goQuote(packageName)} has duplicate bundle ${goQuote(name)}`);
    parent.bundleNames.add(name);
    this.#missing.get(packageName)?.delete(name);
    const problem = content.propertyProblem;
    if (problem !== undefined)
      return refuse("property", `parse properties for bundle ${goQuote(name)}: ${problem.message}`);
    const [own] = content.versions;
    if (own === undefined || content.versions.length !== 1)
      return refuse(
        "package-property",
        `package ${goQuote(packageName)} bundle ${goQuote(name)} must have exactly 1 "olm.package" property, found ${content.versions.length}`,
      );
    if (own.packageName !== packageName)
      return refuse(
        "package-property",
        `package ${goQuote(packageName)} does not match "olm.package" property ${goQuote(own.packageName)}`,
      );
    for (const { where, image } of imagesOf(content)) {
      const complaint = this.#images.problemOf(image);
      if (complaint !== undefined)
        return refuse(
          "image-reference",
          `package ${goQuote(packageName)} bundle ${goQuote(name)} ${where}: invalid image pull spec ${goQuote(image)}: ${complaint}`,
        );
    }
    const version = parseVersion(own.version);
    if (!version.ok)
      return refuse(
        "version",
        `error parsing bundle ${goQuote(name)} version ${goQuote(own.version)}: ${version.problem.message}`,
      );
    const release = parseRelease(own.release ?? "");
    if (!release.ok)
      return refuse(
        "release",
        `error parsing bundle ${goQuote(name)} release version ${goQuote(own.release ?? "")}: ${release.problem}`,
      );
    const bundle: ModelBundle = { content, place, version: version.value, release: release.value };
    const memberships = [...parent.channels.values()].flatMap((channel) => channel.entries.get(name) ?? []);
    for (const membership of memberships) membership.bundle = bundle;
    if (memberships.length === 0)
      refuse(
        "bundle-without-entry",
        `package ${goQuote(packageName)}, bundle ${goQuote(name)} not found in any channel entries`,
      );
  }

  #reportMissing(): void {
    for (const [packageName, names] of this.#missing) {
      if (names.size === 0) continue;
      const place = this.packages.get(packageName)?.place;
      const listed = [...names].sort(compareBytes).join(" ");
      this.problems.push({
        rule: "entry-without-bundle",
        message: `no olm.bundle blobs found in package ${goQuote(packageName)} for olm.channel entries [${listed}]`,
        ...(place === undefined ? {} : { place }),
        packageName,
      });
    }
  }

  /** A default channel that does not exist is added as an empty one, which the tree then reports. */
  #addDefaultChannels(): void {
    for (const { defaultChannel, channels, place } of this.packages.values()) {
      if (defaultChannel === "" || channels.has(defaultChannel)) continue;
      channels.set(defaultChannel, { name: defaultChannel, place, entries: new Map() });
    }
  }

  #addDeprecations(entry: Of<DeprecationsContent>, item: number, seen: Set<string>): void {
    const { packageName, content } = entry;
    const refuse = (message: string): void => this.#refuse(entry, "deprecation", message);
    if (packageName === "") return refuse(`package name must be set for deprecation item ${item}`);
    const parent = this.packages.get(packageName);
    const inPackage = goQuote(packageName);
    if (parent === undefined) return refuse(`cannot apply deprecations to an unknown package ${inPackage}`);
    if (seen.has(packageName)) return refuse(`expected a maximum of one deprecation per package: ${inPackage}`);
    seen.add(packageName);
    const references = new Set<string>();
    for (const [index, { schema, name, message }] of content.entries.entries()) {
      const shown = `declcfg.PackageScopedReference{Schema:${goQuote(schema)}, Name:${goQuote(name)}}`;
      if (schema === "") refuse(`schema must be set for deprecation entry [${index}] for package ${inPackage}`);
      else if (references.has(shown)) refuse(`duplicate deprecation entry ${shown} for package ${inPackage}`);
      else if (schema === "olm.bundle") {
        if (!parent.bundleNames.has(name))
          refuse(`cannot deprecate bundle ${goQuote(name)} for package ${inPackage}: bundle not found`);
        for (const channel of parent.channels.values()) {
          const membership = channel.entries.get(name);
          if (membership !== undefined) membership.deprecation = message;
        }
      } else if (schema === "olm.channel") {
        const channel = parent.channels.get(name);
        if (channel === undefined)
          refuse(`cannot deprecate channel ${goQuote(name)} for package ${inPackage}: channel not found`);
        else channel.deprecation = message;
      } else if (schema === "olm.package") {
        if (name !== "")
          refuse(`package name must be empty for deprecated package ${inPackage} (specified ${goQuote(name)})`);
        else parent.deprecation = message;
      } else
        refuse(
          `cannot deprecate object ${shown} referenced by entry ${index} for package ${inPackage}: object schema unknown`,
        );
      references.add(shown);
    }
  }
}

function hasKind<Kind extends CatalogEntry["content"]["kind"]>(
  entry: CatalogEntry,
  kind: Kind,
): entry is CatalogEntry & { readonly content: CatalogEntry["content"] & { readonly kind: Kind } } {
  return entry.content.kind === kind;
}

function* imagesOf({
  image,
  relatedImages,
}: BundleContent): Generator<{ readonly where: string; readonly image: string }> {
  yield { where: "image", image };
  for (const [index, related] of relatedImages.entries())
    yield { where: `relatedImages[${index}].image`, image: related.image };
}
