import { done, failed, type Result } from "@purser/kubernetes/result";
import type { ImagePath } from "./wanted-directories.ts";
import type { EntryDecision } from "./layer-entry.ts";

interface Directory {
  readonly kind: "directory";
  readonly children: Map<string, Node>;
  layer: number;
}
type Leaf =
  | { readonly kind: "file"; readonly content: number; readonly layer: number }
  | { readonly kind: "symlink"; readonly target: string; readonly layer: number };
type Node = Directory | Leaf;

/** One thing to write, parents before what is in them. */
export type TreeEntry =
  | { readonly kind: "directory"; readonly path: ImagePath }
  /** `content` is the number that `put` got. */
  | { readonly kind: "file"; readonly path: ImagePath; readonly content: number }
  /** `target` is relative to the directory of the link, leads through no other link and stays in the tree. */
  | { readonly kind: "symlink"; readonly path: ImagePath; readonly target: string };

/** As Linux counts them. */
const mostLinks = 40;

/**
 * The wanted part of an image's file system, as the layers so far make it. No path of an archive reaches the disk before
 * the whole tree is known, so that no entry can be written through a link of another one. Of several entries with one
 * name the last counts. Whiteouts and opaque markers apply to lower layers only, wherever in their layer they stand.
 */
export class LayeredTree {
  readonly #root: Directory = { kind: "directory", children: new Map(), layer: 0 };
  readonly #mostEntries: number;
  #layer = 0;
  #entries = 0;

  /** @param mostEntries files, directories and links that may be put into it, those that no longer exist included */
  constructor(mostEntries: number) {
    this.#mostEntries = mostEntries;
  }

  /** What follows belongs to the next layer above. */
  startLayer(): void {
    this.#layer++;
  }

  /**
   * Applies a decision; `content` is the caller's number for the content of a file. The problem says why the entry has no
   * place in the tree: it lies below something that is not a directory, is a hard link to nothing, or is one entry too many.
   */
  put(decision: EntryDecision, content: number): Result<void, string> {
    switch (decision.kind) {
      case "ignore":
        return done(undefined);
      case "refuse":
        return failed(decision.cause);
      case "directory":
        return this.#place(decision.path, undefined);
      case "file":
        return this.#place(decision.path, { kind: "file", content, layer: this.#layer });
      case "symlink":
        return this.#place(decision.path, { kind: "symlink", target: decision.target, layer: this.#layer });
      case "link": {
        const { path, target } = decision;
        const existing = this.#find(target);
        if (existing === undefined || existing.kind === "directory")
          return failed(`hard link ${show(path)}: ${show(target)} is not a file of the unpacked directories`);
        return this.#place(path, { ...existing, layer: this.#layer });
      }
      case "remove":
        this.#find(decision.path.slice(0, -1), "directory")?.children.delete(decision.path.at(-1) ?? "");
        return done(undefined);
      case "whiteout": {
        const parent = this.#find(decision.path.slice(0, -1), "directory");
        if (parent !== undefined) this.#hide(parent, decision.path.at(-1) ?? "");
        return done(undefined);
      }
      case "opaque": {
        const directory = this.#find(decision.path, "directory");
        if (directory !== undefined) for (const name of directory.children.keys()) this.#hide(directory, name);
        return done(undefined);
      }
    }
  }

  /** True for an existing directory; links are not followed. */
  hasDirectory(path: ImagePath): boolean {
    return this.#find(path, "directory") !== undefined;
  }

  /** Everything to write, sorted by name. The problem names a link that leads out of the tree or in a circle. */
  entries(): Result<readonly TreeEntry[], string> {
    const found: TreeEntry[] = [];
    const problem = this.#list(this.#root, [], found);
    return problem === undefined ? done(found) : failed(problem);
  }

  #list(directory: Directory, path: ImagePath, into: TreeEntry[]): string | undefined {
    for (const [name, node] of [...directory.children].sort(([a], [b]) => (a < b ? -1 : 1))) {
      const here = [...path, name];
      if (node.kind === "directory") {
        into.push({ kind: "directory", path: here });
        const problem = this.#list(node, here, into);
        if (problem !== undefined) return problem;
      } else if (node.kind === "file") into.push({ kind: "file", path: here, content: node.content });
      else {
        const end = this.#resolve(path, node.target);
        if (end === undefined)
          return `link ${show(here)} leads out of the unpacked directories, in a circle or to nothing: ${JSON.stringify(node.target)}`;
        into.push({ kind: "symlink", path: here, target: relativePath(path, end) });
      }
    }
    return undefined;
  }

  /** Where a link in the directory `from` ends, as in a chroot; undefined when there is nothing in the tree. */
  #resolve(from: ImagePath, target: string): ImagePath | undefined {
    let at: string[] = target.startsWith("/") ? [] : [...from];
    const open = target.split("/").reverse();
    let links = 1;
    for (let element = open.pop(); element !== undefined; element = open.pop()) {
      if (element === "" || element === ".") continue;
      if (element === "..") {
        at.pop();
        continue;
      }
      const node = this.#find([...at, element]);
      if (node === undefined) return undefined;
      if (node.kind !== "symlink") {
        if (node.kind === "file" && open.some((rest) => rest !== "" && rest !== ".")) return undefined;
        at.push(element);
        continue;
      }
      if (++links > mostLinks) return undefined;
      if (node.target.startsWith("/")) at = [];
      open.push(...node.target.split("/").reverse());
    }
    return at;
  }

  #find(path: ImagePath): Node | undefined;
  #find(path: ImagePath, kind: "directory"): Directory | undefined;
  #find(path: ImagePath, kind?: "directory"): Node | undefined {
    let node: Node | undefined = this.#root;
    for (const element of path) {
      if (node?.kind !== "directory") return undefined;
      node = node.children.get(element);
    }
    return kind === undefined || node?.kind === kind ? node : undefined;
  }

  /** `leaf` undefined: a directory, which keeps what an existing directory holds. */
  #place(path: ImagePath, leaf: Leaf | undefined): Result<void, string> {
    let directory = this.#root;
    for (const [depth, element] of path.slice(0, -1).entries()) {
      const next = directory.children.get(element) ?? this.#addDirectory(directory, element);
      if (next.kind !== "directory")
        return failed(`entry ${show(path)} lies below ${show(path.slice(0, depth + 1))}, which is not a directory`);
      directory = next;
    }
    const name = path.at(-1);
    if (name === undefined) return done(undefined);
    const existing = directory.children.get(name);
    if (leaf !== undefined) this.#add(directory, name, leaf);
    else if (existing?.kind === "directory") existing.layer = this.#layer;
    else this.#addDirectory(directory, name);
    return this.#entries > this.#mostEntries
      ? failed(`the directories of the image have more than ${this.#mostEntries} entries`)
      : done(undefined);
  }

  #addDirectory(parent: Directory, name: string): Directory {
    const directory: Directory = { kind: "directory", children: new Map(), layer: this.#layer };
    this.#add(parent, name, directory);
    return directory;
  }

  #add(parent: Directory, name: string, node: Node): void {
    this.#entries++;
    parent.children.set(name, node);
  }

  /** Removes what lower layers have at `name`; what the present layer brought stays. */
  #hide(parent: Directory, name: string): void {
    const node = parent.children.get(name);
    if (node === undefined) return;
    if (node.kind === "directory") for (const child of node.children.keys()) this.#hide(node, child);
    const isOfThisLayer = node.layer === this.#layer || (node.kind === "directory" && node.children.size > 0);
    if (!isOfThisLayer) parent.children.delete(name);
  }
}

function show(path: ImagePath): string {
  return JSON.stringify(path.join("/"));
}

function relativePath(from: ImagePath, to: ImagePath): string {
  let shared = 0;
  while (shared < from.length && shared < to.length && from[shared] === to[shared]) shared++;
  return [...from.slice(shared).map(() => ".."), ...to.slice(shared)].join("/") || ".";
}
