import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { failed } from "@purser/kubernetes/result";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { createImages, type ImagesOptions } from "./create-images.ts";
import type { PullRequest } from "./images.ts";
import type { PullProgress } from "./pulled-image.ts";
import { configsLabel, writeLayout } from "./testing/layout-images.ts";

const scratch = mkdtempSync(join(tmpdir(), "create-images-"));
after(() => rmSync(scratch, { recursive: true, force: true }));
let count = 0;
const freshFolder = (): string => mkdtempSync(join(scratch, `f${count++}-`));
const signal = new AbortController().signal;

function options(changes: Partial<ImagesOptions> = {}): ImagesOptions {
  return {
    folder: freshFolder(),
    clock: systemClock,
    openSource: ({ reference }) =>
      failed({ kind: "unreachable", reference, cause: "no registry in this test", remedy: "Name a layout." }),
    ...changes,
  };
}

const request = (reference: string, wanted: PullRequest["wanted"] = "catalog"): PullRequest => ({
  reference,
  wanted,
  credentials: [],
  policy: [],
});

function catalogLayout(): string {
  const folder = freshFolder();
  writeLayout(folder, [
    {
      labels: { [configsLabel]: "/configs" },
      layers: [
        [
          { name: "etc/passwd", body: "root" },
          { name: "configs/", flag: "5" },
          { name: "configs/a/catalog.yaml", body: "schema: olm.package\n" },
        ],
        [{ name: "configs/b.yaml", body: "schema: olm.channel\n" }],
      ],
    },
  ]);
  return folder;
}

describe("images", () => {
  test("a catalog in an OCI layout is unpacked, read-only, without the rest of the image", async () => {
    const images = createImages(options());
    const progress: PullProgress[] = [];
    const layout = catalogLayout();
    const pulled = await images.pull(request(`oci:${layout}`), { signal, onProgress: (step) => progress.push(step) });
    await images.close();
    assert.ok(pulled.ok, JSON.stringify(pulled));
    const { root, directory, labels, digest } = pulled.value;
    assert.equal(directory, join(root, "configs"));
    assert.deepEqual(labels, { [configsLabel]: "/configs" });
    assert.deepEqual(
      readdirSync(root, { recursive: true, encoding: "utf8" }).toSorted((a, b) => (a < b ? -1 : 1)),
      ["configs", "configs/a", "configs/a/catalog.yaml", "configs/b.yaml"],
    );
    assert.equal(readFileSync(join(directory, "b.yaml"), "utf8"), "schema: olm.channel\n");
    assert.equal(statSync(join(directory, "b.yaml")).mode & 0o777, 0o400);
    for (const folder of [join(root, ".."), root, directory, join(directory, "a")])
      assert.equal(statSync(folder).mode & 0o777, 0o500);
    assert.deepEqual(
      progress.map(({ kind }) => kind),
      ["resolved", "downloading", "downloading", "unpacking", "complete"],
    );
    assert.deepEqual(images.held(digest, "any"), pulled.value);
    writeFileSync(join(layout, "unrelated"), "");
  });
});
