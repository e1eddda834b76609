import { done, type Result } from "@purser/kubernetes/result";
import { type Architecture, strippedElf } from "./elf.ts";
import { neededLibraries } from "./libraries.ts";
import { certificateBundle, isKept, type RootFile, systemFiles } from "./root-files.ts";
import { type BundledPackage, sbomOf } from "./sbom.ts";
import type { UnpackedPackage } from "./unpack-debian.ts";

/** Where the product lies in the image. */
export const productDirectory = "usr/lib/purser";

export interface ImageInputs {
  readonly architecture: Architecture;
  readonly suite: string;
  readonly debian: readonly UnpackedPackage[];
  readonly node: {
    readonly package: string;
    readonly version: string;
    readonly program: Uint8Array;
    readonly license: Uint8Array;
  };
  /** With paths from {@link productDirectory} on. */
  readonly product: {
    readonly version: string;
    readonly files: readonly RootFile[];
    readonly bundled: readonly BundledPackage[];
  };
}

/** A layer with the line that says what it is. */
export interface RootLayer {
  readonly createdBy: string;
  readonly files: readonly RootFile[];
}

/**
 * The file system of the image for one processor, as layers that change at different times: the system, Node, Purser. The problem
 * names a library that is missing or for another processor.
 */
export function imageRoot(inputs: ImageInputs): Result<readonly RootLayer[], string> {
  const { architecture, suite, debian, node, product } = inputs;
  const available = debian.flatMap(({ files }) => files);
  const program = strippedElf(node.program);
  const libraries = neededLibraries({ name: "node", bytes: program }, available.filter(isLibrary), architecture);
  if (!libraries.ok) return libraries;
  const kept = available.filter(({ path }) => isKept(path, libraries.value));
  const encoded = (path: string, text: string): RootFile => ({
    path,
    kind: "file",
    bytes: new TextEncoder().encode(text),
  });
  const sbom = sbomOf({
    architecture,
    version: product.version,
    node,
    bundled: product.bundled,
    debian: debian.map(({ about }) => about),
    suite,
  });
  return done([
    {
      createdBy: `packages of Debian ${suite}`,
      files: [
        ...systemFiles,
        ...kept,
        certificateBundle(available),
        ...debian.map(({ about, control }) => encoded(`var/lib/dpkg/status.d/${about.name}`, control)),
      ],
    },
    {
      createdBy: `Node ${node.version} of ${node.package}, without symbols`,
      files: [
        { path: "usr/bin/node", kind: "file", bytes: program, executable: true },
        { path: "usr/share/doc/node/LICENSE", kind: "file", bytes: node.license },
      ],
    },
    {
      createdBy: `purser ${product.version}`,
      files: [
        ...product.files.map((file) => ({ ...file, path: `${productDirectory}/${file.path}` })),
        { path: "usr/bin/purser", kind: "link", target: `../lib/purser/dist/purser.js` },
        encoded("usr/share/purser/sbom.spdx.json", sbom),
      ],
    },
  ]);
}

const isLibrary = ({ path }: RootFile): boolean =>
  /^(usr\/)?lib(64)?\/(\w+-linux-gnu\/)?[^/]+\.so(\.[0-9.]+)?$/.test(path);
