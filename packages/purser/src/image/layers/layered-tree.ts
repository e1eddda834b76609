import { done, failed, type Result } from "@purser/kubernetes/result";
import type { ImagePath } from "./wanted-folders.ts";
import type { EntryDecision } from "./layer-entry.ts";

interface Folder {
  readonly kind: "folder";
  readonly children: Map<string, Node>;
  layer: number;
}
type Leaf =
  | { readonly kind: "file"; readonly content: number; readonly layer: number }
  | { readonly kind: "symlink"; readonly target: string; readonly layer: number };
type Node = Folder | Leaf;

/** One thing to write, parents before what is in them. */
export type TreeEntry =
  | { readonly kind: "folder"; readonly path: ImagePath }
  /** `content` is the number that `put` got. */
  | { readonly kind: "file"; readonly path: ImagePath; readonly content: number }
  /** `target` is relative to the folder of the link, leads through no other link and stays in the tree. */
  | { readonly kind: "symlink"; readonly path: ImagePath; readonly target: string };

/** As Linux counts them. */
const mostLinks = 40;

/**
 * The wanted part of an image's file system, as the layers so far make it. No path of an archive reaches the disk before
 * the whole tree is known, so that no entry can be written through a link of another one. Of several entries with one
 * name the last counts. Whiteouts and opaque markers apply to lower layers only, wherever in their layer they stand.
 */
export class LayeredTree {
  readonly #root: Folder = { kind: "folder", children: new Map(), layer: 0 };
  readonly #mostEntries: number;
  #layer = 0;
  #entries = 0;

  /** @param mostEntries files, folders and links that may be put into it, those that no longer exist included */
  constructor(mostEntries: number) {
    this.#mostEntries = mostEntries;
  }

  /** What follows belongs to the next layer above. */
  startLayer(): void {
    this.#layer++;
  }

  /**
   * Applies a decision; `content` is the caller's number for the content of a file. The problem says why the entry has no
   * place in the tree: it lies below something that is not a folder, is a hard link to nothing, or is one entry too many.
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
        if (existing === undefined || existing.kind === "folder")
          return failed(`hard link ${show(path)}: ${show(target)} is not a file of the unpacked directories`);
        return this.#place(path, { ...existing, layer: this.#layer });
      }
      case "remove":
        this.#find(decision.path.slice(0, -1), "folder")?.children.delete(decision.path.at(-1) ?? "");
        return done(undefined);
      case "whiteout": {
        const parent = this.#find(decision.path.slice(0, -1), "folder");
        if (parent !== undefined) this.#hide(parent, decision.path.at(-1) ?? "");
        return done(undefined);
      }
      case "opaque": {
        const folder = this.#find(decision.path, "folder");
        if (folder !== undefined) for (const name of folder.children.keys()) this.#hide(folder, name);
        return done(undefined);
      }
    }
  }

  /** True for an existing folder; links are not followed. */
  hasFolder(path: ImagePath): boolean {
    return this.#find(path, "folder") !== undefined;
  }

  /** Everything to write, sorted by name. The problem names a link that leads out of the tree or in a circle. */
  entries(): Result<readonly TreeEntry[], string> {
    const found: TreeEntry[] = [];
    const problem = this.#list(this.#root, [], found);
    return problem === undefined ? done(found) : failed(problem);
  }

  #list(folder: Folder, path: ImagePath, into: TreeEntry[]): string | undefined {
    for (const [name, node] of [...folder.children].sort(([a], [b]) => (a < b ? -1 : 1))) {
      const here = [...path, name];
      if (node.kind === "folder") {
        into.push({ kind: "folder", path: here });
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

  /** Where a link in the folder `from` ends, as in a chroot; undefined when there is nothing in the tree. */
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
  #find(path: ImagePath, kind: "folder"): Folder | undefined;
  #find(path: ImagePath, kind?: "folder"): Node | undefined {
    let node: Node | undefined = this.#root;
    for (const element of path) {
      if (node?.kind !== "folder") return undefined;
      node = node.children.get(element);
    }
    return kind === undefined || node?.kind === kind ? node : undefined;
  }

  /** `leaf` undefined: a folder, which keeps what an existing folder holds. */
  #place(path: ImagePath, leaf: Leaf | undefined): Result<void, string> {
    let folder = this.#root;
    for (const [depth, element] of path.slice(0, -1).entries()) {
      const next = folder.children.get(element) ?? this.#addFolder(folder, element);
      if (next.kind !== "folder")
        return failed(`entry ${show(path)} lies below ${show(path.slice(0, depth + 1))}, which is not a directory`);
      folder = next;
    }
    const name = path.at(-1);
    if (name === undefined) return done(undefined);
    const existing = folder.children.get(name);
    if (leaf !== undefined) this.#add(folder, name, leaf);
    else if (existing?.kind === "folder") existing.layer = this.#layer;
    else this.#addFolder(folder, name);
    return this.#entries > this.#mostEntries
      ? failed(`the directories of the image have more than ${this.#mostEntries} entries`)
      : done(undefined);
  }

  #addFolder(parent: Folder, name: string): Folder {
    const folder: Folder = { kind: "folder", children: new Map(), layer: this.#layer };
    this.#add(parent, name, folder);
    return folder;
  }

  #add(parent: Folder, name: string, node: Node): void {
    this.#entries++;
    parent.children.set(name, node);
  }

  /** Removes what lower layers have at `name`; what the present layer brought stays. */
  #hide(parent: Folder, name: string): void {
    const node = parent.children.get(name);
    if (node === undefined) return;
    if (node.kind === "folder") for (const child of node.children.keys()) this.#hide(node, child);
    const isOfThisLayer = node.layer === this.#layer || (node.kind === "folder" && node.children.size > 0);
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
