import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** What an image holds: directories of this machine by their path in the image, and its labels. */
interface ArchivedImage {
  readonly files: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
}

/** Writes what `docker save` would give, made by the system's `tar`, with a layer for each directory; returns `file`. */
export function dockerArchive(file: string, { files, labels }: ArchivedImage): string {
  const directory = mkdtempSync(join(tmpdir(), "docker-archive-"));
  try {
    const tar = (to: string, from: string, names: readonly string[]): Buffer => {
      execFileSync("tar", ["--owner=0", "--group=0", "-cf", to, "-C", from, ...names]);
      return readFileSync(to);
    };
    const layers = Object.entries(files).map(([path, source], index) => {
      cpSync(source, join(directory, `root-${index}`, path), { recursive: true });
      const name = `layer-${index}.tar`;
      const bytes = tar(join(directory, name), join(directory, `root-${index}`), [path]);
      return { name, diffId: `sha256:${createHash("sha256").update(bytes).digest("hex")}` };
    });
    const config = {
      architecture: "amd64",
      os: "linux",
      config: { Labels: labels },
      rootfs: { type: "layers", diff_ids: layers.map(({ diffId }) => diffId) },
    };
    writeFileSync(join(directory, "config.json"), JSON.stringify(config));
    const names = layers.map(({ name }) => name);
    writeFileSync(
      join(directory, "manifest.json"),
      JSON.stringify([{ Config: "config.json", RepoTags: ["example.com/image:v1"], Layers: names }]),
    );
    tar(file, directory, ["manifest.json", "config.json", ...names]);
    return file;
  } finally {
    rmSync(directory, { recursive: true });
  }
}
