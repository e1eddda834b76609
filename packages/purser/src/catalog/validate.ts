import { goQuote } from "@purser/kubernetes/go-quote";
import type { Place } from "@purser/kubernetes/place";
import { compareBytes } from "@purser/kubernetes/text/documents";
import { parseBlangRange } from "../version-range.ts";
import { formatVersion } from "@purser/kubernetes/version";
import { CatalogModel, type ModelChannel, type ModelEntry, type ModelPackage } from "./catalog-model.ts";
import { graphProblem } from "./channel-graph.ts";
import type { CatalogEntry } from "./model.ts";
import type { CatalogProblem, CatalogRule } from "./problem.ts";

/** A node of upstream's error tree; a leaf is one problem. */
export interface ProblemNode {
  readonly message: string;
  readonly children: readonly ProblemNode[];
  readonly problem?: CatalogProblem;
}

/** All problems of a catalog that could be loaded, in upstream's order and words. */
export function validateCatalog(entries: readonly CatalogEntry[]): readonly CatalogProblem[] {
  const model = new CatalogModel(entries);
  // The tree would report the same problems of a package that could not be joined again, in other words.
  const faulty = new Set(model.problems.map((problem) => problem.packageName));
  const sound = [...model.packages.values()].filter(({ name }) => !faulty.has(name));
  return [...model.problems, ...leaves(problemTree(sound))];
}

/** The tree of problems of packages that were put together; children are sorted by name where upstream's are not. */
export function problemTree(packages: readonly ModelPackage[]): ProblemNode {
  const sorted = [...packages].sort((a, b) => compareBytes(a.name, b.name));
  return { message: "invalid index", children: sorted.flatMap(packageNode) };
}

/** The tree as text: children behind `├──` and `└──`. */
export function formatTree({ message, children }: ProblemNode): string {
  const lines: string[] = [children.length > 0 ? `${message}:` : message];
  for (const [index, child] of children.entries()) {
    const isLast = index === children.length - 1;
    const [first = "", ...rest] = formatTree(child).split("\n");
    lines.push(`${isLast ? "└── " : "├── "}${first}`, ...rest.map((line) => `${isLast ? "    " : "│   "}${line}`));
  }
  return lines.join("\n");
}

function leaves(node: ProblemNode): CatalogProblem[] {
  return node.problem === undefined ? node.children.flatMap(leaves) : [node.problem];
}

interface Subject {
  readonly place: Place;
  readonly packageName: string;
  readonly channel?: string;
  readonly bundle?: string;
}

function leaf(subject: Subject, rule: CatalogRule, message: string): ProblemNode {
  return { message, children: [], problem: { rule, message, ...subject } };
}

/** A node is there for its children only; quoting the names of thousands of sound bundles would take a while. */
function node(kind: string, name: string, children: readonly ProblemNode[]): readonly ProblemNode[] {
  return children.length === 0 ? children : [{ message: `invalid ${kind} ${goQuote(name)}`, children }];
}

function deprecationLeaf(subject: Subject, deprecation: string | undefined): ProblemNode[] {
  return deprecation === "" ? [leaf(subject, "deprecation", "invalid deprecation: message must be set")] : [];
}

function packageNode(parent: ModelPackage): readonly ProblemNode[] {
  const subject = { place: parent.place, packageName: parent.name };
  const children: ProblemNode[] = [];
  if (parent.defaultChannel === "") children.push(leaf(subject, "default-channel", "default channel must be set"));
  if (parent.channels.size === 0)
    children.push(leaf(subject, "package-without-channels", "package must contain at least one channel"));
  const channels = [...parent.channels.values()].sort((a, b) => compareBytes(a.name, b.name));
  for (const channel of channels) children.push(...channelNode(parent, channel));
  const repeated = duplicateVersions(parent);
  if (repeated !== undefined) children.push(leaf(subject, "duplicate-version", repeated));
  children.push(...deprecationLeaf(subject, parent.deprecation));
  return node("package", parent.name, children);
}

function duplicateVersions({ channels }: ModelPackage): string | undefined {
  const names = new Map<string, Set<string>>();
  for (const channel of channels.values()) {
    for (const [name, membership] of channel.entries) {
      const version = versionText(membership);
      const known = names.get(version);
      if (known === undefined) names.set(version, new Set([name]));
      else known.add(name);
    }
  }
  const repeated = [...names].filter(([, bundles]) => bundles.size > 1).sort(([a], [b]) => compareBytes(a, b));
  if (repeated.length === 0) return undefined;
  const groups = repeated.map(([version, bundles]) => `{${version}: [${[...bundles].sort(compareBytes).join(", ")}]}`);
  return `duplicate versions found in bundles: [${groups.join(" ")}]`;
}

/** Version and release in one; an entry without bundle has the zero version. */
function versionText({ bundle }: ModelEntry): string {
  if (bundle === undefined) return "0.0.0";
  const version = formatVersion(bundle.version);
  return bundle.release === "" ? version : `${version}-${bundle.release}`;
}

function channelNode(parent: ModelPackage, channel: ModelChannel): readonly ProblemNode[] {
  const subject = { place: channel.place, packageName: parent.name, channel: channel.name };
  const children: ProblemNode[] = [];
  if (channel.entries.size === 0)
    children.push(leaf(subject, "empty-channel", "channel must contain at least one bundle"));
  else {
    const broken = graphProblem([...channel.entries.values()].map(({ entry }) => entry));
    if (broken !== undefined) children.push(leaf(subject, "channel-graph", broken));
  }
  const entries = [...channel.entries].sort(([a], [b]) => compareBytes(a, b));
  for (const [name, membership] of entries) {
    const place = membership.bundle?.place ?? membership.place;
    children.push(...bundleNode({ ...subject, place, bundle: name }, membership));
  }
  children.push(...deprecationLeaf(subject, channel.deprecation));
  return node("channel", channel.name, children);
}

function bundleNode(subject: Subject & { readonly bundle: string }, membership: ModelEntry): readonly ProblemNode[] {
  const { entry, bundle, deprecation } = membership;
  const children: ProblemNode[] = [];
  if (entry.name === "") children.push(leaf(subject, "bundle-name", "name must be set"));
  if (bundle !== undefined && bundle.release !== "") {
    const expected = `${subject.packageName}-v${versionText(membership)}`;
    if (entry.name !== expected)
      children.push(
        leaf(subject, "bundle-name", `name ${goQuote(entry.name)} does not match normalized name ${goQuote(expected)}`),
      );
  }
  for (const [index, skip] of entry.skips.entries())
    if (skip === "") children.push(leaf(subject, "empty-skip", `skip[${index}] is empty`));
  if (entry.skipRange !== "") {
    const range = parseBlangRange(entry.skipRange);
    if (!range.ok)
      children.push(
        leaf(subject, "skip-range", `invalid skipRange ${goQuote(entry.skipRange)}: ${range.problem.message}`),
      );
  }
  if (bundle === undefined)
    children.push(leaf(subject, "package-property", 'must be exactly one property with type "olm.package"'));
  if (bundle === undefined || (bundle.content.image === "" && bundle.content.objects === 0))
    children.push(leaf(subject, "image-missing", "bundle image must be set"));
  if (bundle !== undefined && bundle.release !== "" && bundle.version.build.length > 0)
    children.push(leaf(subject, "release", "cannot use build metadata in version with a release version"));
  children.push(...deprecationLeaf(subject, deprecation));
  return node("bundle", entry.name, children);
}
