import { existsSync, readFileSync } from "node:fs";
import { goFileError } from "../../../catalog-store/read/go-file-error.ts";
import { isDirectory } from "../../bundle-directory.ts";
import { generateBundle, metadataFlags } from "./generate-bundle.ts";
import { withFetchedImages } from "../pulling-first.ts";
import { flagSet, flagText, type LongOpmCommand, type OpmCommand, refuse, transportProblem } from "../opm-command.ts";

const generate: OpmCommand = {
  path: "alpha bundle generate",
  usage: "",
  summary: "write metadata/annotations.yaml and bundle.Dockerfile for a directory of manifests",
  flags: metadataFlags,
  words: [0, 0],
  run(parsed, log) {
    generateBundle(parsed, true, log);
    return { exit: 0, stdout: "", stderr: "" };
  },
};

/** `opm alpha bundle validate`; the validation is imported when the command runs. */
export const validateBundleCommand: LongOpmCommand = {
  path: "alpha bundle validate",
  usage: "",
  summary: "check the format and the content of a bundle (deprecated: purser bundle validate shows more)",
  flags: [
    {
      name: "tag",
      short: "t",
      value: "IMAGE",
      required: true,
      summary: "image of the bundle, or the directory of an unpacked one",
    },
    {
      name: "image-builder",
      short: "b",
      value: "TOOL",
      initial: "docker",
      summary: "docker, podman or none; not needed",
    },
    {
      name: "optional-validators",
      short: "o",
      value: "NAMES",
      summary: "accepted; purser bundle validate --suite runs them",
    },
  ],
  words: [0, 0],
  deprecated:
    "This subcommand is deprecated and will be removed in a future release. Migrate to operator-sdk bundle validate",
  async run(parsed, world) {
    const { validateBundle } = await import("./validate-bundle.ts");
    const tag = flagText(parsed, "tag");
    return withFetchedImages([tag], "bundle", parsed, world, (images) => validateBundle(tag, images));
  },
};

/** `opm alpha bundle unpack`. */
export const unpackBundleCommand: LongOpmCommand = {
  path: "alpha bundle unpack",
  usage: "BUNDLE_NAME[:TAG|@DIGEST]",
  summary: "unpack the image of a bundle",
  flags: [
    { name: "debug", short: "d", summary: "accepted, no effect" },
    {
      name: "skip-tls",
      short: "s",
      deprecated: "use --use-http and --skip-tls-verify instead",
      summary: "ask registries without TLS",
    },
    { name: "skip-tls-verify", summary: "do not check the certificates of registries" },
    { name: "use-http", summary: "ask registries without TLS" },
    { name: "skip-validation", short: "v", summary: "do not check the bundle" },
    { name: "root-ca", short: "c", value: "FILE", summary: "certificate authority of the registry" },
    { name: "out", short: "o", value: "DIR", initial: "./", summary: "directory to unpack into" },
  ],
  words: [1, 1],
  async run(parsed, world) {
    const out = flagText(parsed, "out", "./");
    if (existsSync(out) && !isDirectory(out)) return refuse(`out ${out} is not a directory`);
    const transport = transportProblem(parsed);
    if (transport !== undefined) return refuse(transport);
    const rootCa = flagText(parsed, "root-ca");
    if (rootCa !== "") requireCertificates(rootCa);
    const [image = ""] = parsed.words;
    const { unpackBundle } = await import("./unpack-bundle.ts");
    return withFetchedImages([image], "bundle", parsed, world, (images) =>
      unpackBundle(image, images, { out, validates: !flagSet(parsed, "skip-validation") }),
    );
  },
};

function requireCertificates(file: string): void {
  let text: string;
  try {
    text = readFileSync(file, "latin1");
  } catch (error) {
    return refuse(goFileError("open", file, error));
  }
  if (!text.includes("-----BEGIN CERTIFICATE-----")) refuse(`failed to fetch root CA from ${file}`);
}

/** `opm alpha bundle generate`. */
export const bundleCommands: readonly OpmCommand[] = [generate];
