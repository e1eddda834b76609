/** A rule for catalogs: its default severity, why it exists and what to do about a finding. */
export interface RuleSpec {
  /** Never reused; the letters name its subject: file, package, channel, bundle, deprecations, custom blob. */
  readonly id: string;
  readonly name: string;
  /** Hard rules make a catalog unusable: OLM refuses it as well. The others are advice. */
  readonly kind: "hard" | "soft";
  readonly severity: Severity;
  /** Why it matters. */
  readonly cause: string;
  readonly remedy: string;
  /** `--fix` can repair at least some of its cases. */
  readonly fixable?: true;
  /** Compares with an older catalog (`--against`). */
  readonly against?: true;
}

export type Severity = "error" | "warn" | "off";

const hard = (
  id: string,
  name: string,
  cause: string,
  remedy: string,
  more: { readonly fixable?: true } = {},
): RuleSpec => ({ id, name, kind: "hard", severity: "error", cause, remedy, ...more });

const soft = (
  id: string,
  name: string,
  severity: Severity,
  cause: string,
  remedy: string,
  more: { readonly fixable?: true; readonly against?: true } = {},
): RuleSpec => ({ id, name, kind: "soft", severity, cause, remedy, ...more });

/** Every rule of `purser catalog validate` and `lint`, in the order of `docs/catalog-rules.md`. */
export const ruleTable: readonly RuleSpec[] = [
  hard(
    "PFL001",
    "unreadable",
    "the file cannot be read",
    "make it a regular file that can be read, inside the catalog",
  ),
  hard("PFL002", "syntax", "the text is neither YAML nor JSON", "correct the text at the place shown"),
  hard(
    "PFL003",
    "not-an-object",
    "every document of a catalog is one object",
    "write the document as an object with a schema",
  ),
  hard(
    "PFL004",
    "duplicate-keys",
    "two spellings of one key make it a matter of chance which one counts",
    "keep one of them",
  ),
  hard(
    "PFL005",
    "schema-missing",
    "the schema determines how the document is read",
    "add the schema, such as schema: olm.bundle",
  ),
  hard("PFL006", "meta-type", "schema, package and name are strings", "put the value into quotes"),
  hard(
    "PFL007",
    "field-type",
    "the field has a type that no reader of catalogs accepts",
    "write the value in the type that the message names",
  ),
  hard("PFL008", "bundle-object", "an embedded manifest must be base64 of YAML or JSON", "render the bundle again"),
  soft(
    "PFL009",
    "empty-document",
    "warn",
    "OLM refuses a catalog with a document that holds comments only",
    "remove the separator line behind the comments",
    { fixable: true },
  ),
  soft("PFL010", "repeated-key", "warn", "of several equal keys only the last one counts", "remove the others"),

  hard(
    "PPK001",
    "package-name",
    "a package's name is part of object names in the cluster",
    "use lower-case letters, digits and -, at most 63",
  ),
  hard(
    "PPK002",
    "duplicate-package",
    "a package is described once in a catalog",
    "remove one of the olm.package blobs",
  ),
  hard(
    "PPK003",
    "unknown-package",
    "channels and bundles belong to a package of the same catalog",
    "add the olm.package blob or correct the name",
  ),
  hard(
    "PPK004",
    "default-channel-unset",
    "an installation that names no channel follows the default one",
    "set defaultChannel",
    { fixable: true },
  ),
  hard(
    "PPK005",
    "default-channel-unknown",
    "the default channel must be one of the package's channels",
    "name an existing channel",
    { fixable: true },
  ),
  hard(
    "PPK006",
    "package-without-channels",
    "a package without channels offers no version",
    "add a channel with its entries",
  ),
  hard(
    "PPK007",
    "duplicate-version",
    "two bundles of one version cannot be distinguished",
    "give each bundle a version of its own",
  ),
  soft(
    "PPK008",
    "icon",
    "warn",
    "consoles show the icon with the media type it claims",
    "embed the image again with the media type of its bytes",
  ),
  soft(
    "PPK101",
    "default-channel-deprecated",
    "warn",
    "a new installation that names no channel gets a deprecated channel",
    "make a channel that is not deprecated the default",
  ),

  hard("PCH001", "channel-name", "a subscription names the channel", "give the channel a name"),
  hard(
    "PCH002",
    "duplicate-channel",
    "a channel is described once in a package",
    "merge the entries into one olm.channel blob",
  ),
  hard("PCH003", "empty-channel", "a channel without entries offers no version", "add entries or remove the channel"),
  hard(
    "PCH004",
    "several-heads",
    "a new installation takes the head, so there is exactly one",
    "make the newest entry replace or skip the others",
    { fixable: true },
  ),
  hard(
    "PCH005",
    "no-head",
    "a new installation takes the head, so there is exactly one",
    "remove the edge that points back up",
  ),
  hard(
    "PCH006",
    "cycle",
    "a chain of replacements that returns to itself never ends",
    "remove the edge that points back up",
  ),
  hard(
    "PCH007",
    "stranded",
    "the chain of replacements from the head does not reach the entry, and no entry skips it",
    "make a newer entry replace or skip it, or remove it",
  ),
  hard("PCH008", "duplicate-entry", "a channel lists each entry only once", "merge the two entries", { fixable: true }),
  hard(
    "PCH009",
    "entry-without-bundle",
    "an entry offers a bundle that is not in the catalog",
    "add the olm.bundle blob or remove the entry",
  ),
  hard("PCH010", "entry-name", "an entry names its bundle", "give the entry a name"),
  hard("PCH011", "empty-skip", "an empty name skips nothing", "remove it", { fixable: true }),
  hard("PCH012", "skip-range", "a range that cannot be read matches no version", "write it as in '>=1.0.0 <1.4.0'"),
  soft(
    "PCH101",
    "dead-end",
    "warn",
    "an installation of this version never reaches the head of its channel",
    "give the head, or an entry on the way to it, an edge from this version",
  ),
  soft(
    "PCH102",
    "unreachable",
    "off",
    "no update and no new installation chooses this version, and no entry skips it",
    "skip it, or make it the update of a version below it",
  ),
  soft(
    "PCH103",
    "v0-v1-difference",
    "warn",
    "OLM v0 goes to the successor nearest to the head and to none that is skipped, OLM v1 to the highest version that is not deprecated",
    "make the head the highest version",
  ),
  soft(
    "PCH104",
    "skipped-head",
    "warn",
    "a new installation of this channel gets a version that another channel skips",
    "promote the newer version into this channel",
  ),
  soft(
    "PCH105",
    "skips-itself",
    "warn",
    "the range contains the entry's own version, so the entry is its own update",
    "end the range below the version",
    { fixable: true },
  ),
  soft(
    "PCH106",
    "version-order",
    "warn",
    "an update goes to a version that is not higher",
    "correct the edge, or the version",
  ),
  soft(
    "PCH107",
    "z-stream-skips",
    "warn",
    "an update passes through every patch of a minor version",
    "make the last patch skip the ones before it",
  ),
  soft(
    "PCH108",
    "deprecated-head",
    "warn",
    "a new installation of this channel gets a deprecated version",
    "deprecate the channel as well, or add a newer entry",
  ),
  soft(
    "PCH109",
    "long-skips",
    "warn",
    "long lists of skips grow with every release and are read by every client",
    "use a skipRange for versions that are no longer in the channel",
  ),
  soft(
    "PCH110",
    "channel-naming",
    "off",
    "users know the channels candidate, fast and stable, with a version behind them",
    "name it such as stable, fast-v2 or candidate-v2.1",
  ),
  soft("PCH111", "repeated-skip", "warn", "the list contains the name twice", "remove one of them", { fixable: true }),
  soft(
    "PCH121",
    "path-lost",
    "error",
    "an installed version could reach the head in the older catalog and cannot any more",
    "make a newer entry replace or skip it, or give the head a skipRange that contains it",
    { against: true },
  ),
  soft(
    "PCH122",
    "entry-removed",
    "warn",
    "installations that pin this version and new installations from a mirror do not find it",
    "keep published entries; skip them instead",
    { against: true },
  ),

  hard("PBN001", "bundle-package", "a bundle belongs to a package", "set package"),
  hard("PBN002", "duplicate-bundle", "a package has only one bundle of each name", "remove one of them"),
  hard("PBN003", "property", "a property cannot be read", "correct the property's value"),
  hard(
    "PBN004",
    "package-property",
    "a bundle has exactly one property of type olm.package, with its version",
    "keep exactly one",
  ),
  hard(
    "PBN005",
    "package-property-name",
    "the olm.package property names another package",
    "name the bundle's package",
  ),
  hard("PBN006", "image-reference", "the reference cannot be pulled", "write it as REGISTRY/REPOSITORY@sha256:..."),
  hard("PBN007", "version", "versions are semantic versions", "write it as MAJOR.MINOR.PATCH"),
  hard(
    "PBN008",
    "release",
    "a release is a short list of identifiers separated by dots",
    "use at most 20 letters, digits, - and .",
  ),
  hard(
    "PBN009",
    "bundle-without-entry",
    "a bundle that is in no channel cannot be installed",
    "add an entry to a channel, or remove the bundle",
  ),
  hard(
    "PBN010",
    "bundle-name",
    "a bundle with a release has the name PACKAGE-vVERSION-RELEASE",
    "rename the bundle and every reference to it",
  ),
  hard("PBN011", "image-missing", "a bundle without image and without objects cannot be installed", "set image"),
  hard(
    "PBN012",
    "build-with-release",
    "a bundle must not have both build metadata and a release",
    "keep the release and drop the build metadata",
  ),
  soft(
    "PBN013",
    "several-csv-metadata",
    "warn",
    "a server refuses a bundle with two olm.csv.metadata properties",
    "keep one",
  ),
  soft(
    "PBN014",
    "api-incomplete",
    "warn",
    "an API without version or kind matches nothing",
    "fill in group, version and kind",
  ),
  soft(
    "PBN015",
    "required-range",
    "warn",
    "a required range that cannot be read makes the bundle uninstallable",
    "write it as in '>=1.0.0 <2.0.0'",
  ),
  soft(
    "PBN016",
    "related-image-empty",
    "warn",
    "a related image without reference cannot be mirrored",
    "fill in the image, or remove the item",
    { fixable: true },
  ),
  soft(
    "PBN101",
    "mutable-image",
    "warn",
    "a tag may point to something else tomorrow, on every cluster and in every mirror",
    "refer to the image by digest",
  ),
  soft(
    "PBN102",
    "unlisted-image",
    "warn",
    "mirrors copy related images only, so the operator cannot start without a connection",
    "list the image in relatedImages",
    { fixable: true },
  ),
  soft(
    "PBN103",
    "permission-growth",
    "warn",
    "an update gives the operator permissions that it did not have before; review them",
    "name the new permissions in the release notes, or remove them",
  ),
  soft(
    "PBN104",
    "crd-break",
    "warn",
    "an update changes an API so that stored objects may no longer be valid; OLM v1 refuses it",
    "keep the schema compatible, or serve a new version",
  ),
  soft(
    "PBN121",
    "bundle-removed",
    "error",
    "installed operators and mirrors need the bundles that were published",
    "restore it, and deprecate it instead of removing it",
    { against: true },
  ),
  soft(
    "PBN122",
    "bundle-image-changed",
    "error",
    "a published bundle never changes; a fix is a new version",
    "restore the image and publish a new version",
    { against: true },
  ),
  soft(
    "PBN123",
    "bundle-properties-changed",
    "error",
    "a published bundle never changes; a fix is a new version",
    "restore the properties and publish a new version",
    { against: true },
  ),

  hard("PDP001", "deprecation-package", "deprecations belong to a package", "set package"),
  hard(
    "PDP002",
    "deprecation-unknown-package",
    "deprecations belong to a package of the same catalog",
    "correct the package, or remove the blob",
  ),
  hard(
    "PDP003",
    "several-deprecations",
    "a package has at most one olm.deprecations blob",
    "merge the entries into one",
  ),
  hard(
    "PDP004",
    "deprecation-schema",
    "an entry refers to a package, a channel or a bundle",
    "set reference.schema to olm.package, olm.channel or olm.bundle",
  ),
  hard("PDP005", "duplicate-deprecation", "an object is deprecated once", "keep one of the entries", { fixable: true }),
  hard(
    "PDP006",
    "deprecation-target",
    "the deprecated object is not in the catalog",
    "correct the name, or remove the entry",
  ),
  hard("PDP007", "deprecation-name", "a reference to the package has no name", "remove reference.name", {
    fixable: true,
  }),
  hard(
    "PDP008",
    "deprecation-message",
    "the message is shown to users as the reason",
    "say why and what to use instead",
  ),

  soft(
    "PCB001",
    "custom-name",
    "warn",
    "a server refuses custom blobs whose schema or package has other characters",
    "use letters, digits, . _ and -, beginning with a letter or digit",
  ),
];

const byId: ReadonlyMap<string, RuleSpec> = new Map(ruleTable.map((rule) => [rule.id, rule]));

/** A rule by its id; undefined when there is no such rule. */
export function ruleOf(id: string): RuleSpec | undefined {
  return byId.get(id);
}
