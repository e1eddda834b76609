import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { unpackTar } from "modern-tar";
import { type DebianPackage, fileNameOf } from "./debian-packages.ts";
import type { RootFile } from "./root-files.ts";

const run = promisify(execFile);
const largestPackage = 2 ** 28;

export interface UnpackedPackage {
  readonly about: DebianPackage;
  /** Its control file: what scanners read to know what an image holds. */
  readonly control: string;
  readonly files: readonly RootFile[];
}

/** The files and links of a package, with paths that begin without `./`; needs `dpkg-deb`. */
export async function unpackDebian(about: DebianPackage, directory: string): Promise<UnpackedPackage> {
  const file = join(directory, fileNameOf(about));
  const { stdout } = await run("dpkg-deb", ["--fsys-tarfile", file], { encoding: "buffer", maxBuffer: largestPackage });
  const control = (await run("dpkg-deb", ["--field", file])).stdout;
  const files = (await unpackTar(stdout)).flatMap(({ header, data }): readonly RootFile[] => {
    const path = header.name.replace(/^\.?\//, "");
    const mode = header.mode ?? 0;
    const { type, linkname = "" } = header;
    if (type === "file")
      return [{ path, kind: "file", bytes: data ?? new Uint8Array(), executable: (mode & 0o100) !== 0 }];
    if (type === "symlink") return [{ path, kind: "link", target: linkname }];
    // A hard link names its first path from the root of the archive.
    if (type === "link") return [{ path, kind: "link", target: `/${linkname.replace(/^\.?\//, "")}` }];
    return [];
  });
  return { about, control, files };
}
