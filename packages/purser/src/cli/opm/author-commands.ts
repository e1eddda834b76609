import { existsSync, readFileSync, statSync } from "node:fs";
import { join, normalize } from "node:path";
import { fatal, logged } from "../../catalog/opm/answer.ts";
import { catalogDockerfile, parseLabels } from "../../catalog/opm/dockerfile.ts";
import { opmInit } from "../../catalog/opm/init.ts";
import { goQuote } from "@purser/kubernetes/go-quote";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { ownVersion } from "../own-version.ts";
import { badFormat, formatOf, outputFlag } from "./catalog-commands.ts";
import { goFileError } from "../../catalog-store/read/go-file-error.ts";
import { writeFilesAtomically } from "../catalog/write-files.ts";
import { flagText, type OpmCommand, refuse } from "./opm-command.ts";

const init: OpmCommand = {
  path: "init",
  usage: "<packageName>",
  summary: "write an olm.package blob",
  flags: [
    outputFlag,
    { name: "default-channel", short: "c", value: "CHANNEL", summary: "the channel that is followed by default" },
    { name: "description", short: "d", value: "FILE", summary: "file with the package's description" },
    { name: "icon", short: "i", value: "FILE", summary: "file with the package's icon" },
  ],
  words: [1, 1],
  run(parsed) {
    const format = formatOf(parsed);
    if (format === undefined) return fatal(badFormat(parsed));
    const pack = { name: parsed.words[0] ?? "", defaultChannel: flagText(parsed, "default-channel") };
    const icon = bytesOf(flagText(parsed, "icon"));
    const description = bytesOf(flagText(parsed, "description"));
    for (const [what, read] of [
      ["icon", icon],
      ["description", description],
    ] as const)
      if (!read.ok && !read.problem.startsWith("read ")) return fatal(`open ${what} file: ${read.problem}`);
    if (!description.ok) return fatal(`read description: ${description.problem}`);
    if (!icon.ok) return fatal(`read icon: ${icon.problem}`);
    const given = {
      ...(description.value === undefined ? {} : { description: new TextDecoder().decode(description.value) }),
      ...(icon.value === undefined ? {} : { icon: icon.value }),
    };
    const text = opmInit({ ...pack, ...given }, format);
    return text.ok ? { exit: 0, stdout: text.value, stderr: "" } : fatal(text.problem);
  },
};

/** The content of a file; undefined when `path` is empty. The problem has the wording of Go's errors. */
function bytesOf(path: string): Result<Uint8Array | undefined, string> {
  if (path === "") return done(undefined);
  try {
    return done(readFileSync(path));
  } catch (error) {
    return failed(goFileError("open", path, error));
  }
}

const upstreamImage = "quay.io/operator-framework/opm:latest";

const generateDockerfile: OpmCommand = {
  path: "generate dockerfile",
  usage: "<fbcRootDir>",
  summary: "write the Dockerfile of a catalog image beside the catalog",
  flags: [
    { name: "base-image", short: "i", value: "IMAGE", initial: upstreamImage, summary: "image of the last stage" },
    {
      name: "binary-image",
      value: "IMAGE",
      initial: upstreamImage,
      deprecated: "use --base-image instead",
      summary: "former name of --base-image",
    },
    {
      name: "builder-image",
      short: "b",
      value: "IMAGE",
      initial: upstreamImage,
      summary: "image that fills the cache",
    },
    { name: "extra-labels", short: "l", value: "KEY=VALUE", type: "list", summary: "further labels of the image" },
  ],
  exclusive: ["binary-image", "base-image"],
  words: [1, 1],
  run(parsed) {
    const root = normalize(parsed.words[0] ?? "").replace(/(?<=.)\/$/, "");
    const binaryImage = flagText(parsed, "binary-image", upstreamImage);
    const baseImage = flagText(parsed, "base-image", binaryImage);
    if (flagText(parsed, "builder-image") === "scratch") return refuse('invalid builder image: "scratch"');
    const builderImage = flagText(parsed, "builder-image", binaryImage);
    const labels = parseLabels(parsed.values.get("extra-labels") ?? []);
    if (!labels.ok) return refuse(labels.problem);
    const [, directory = "", indexDirectory = ""] = /^(.*\/)?([^/]*)$/s.exec(root) ?? [];
    const target = join(directory, `${indexDirectory}.Dockerfile`);
    if (existsSync(target)) return fatal(`path ${goQuote(target)}: file already exists`);
    let isDirectory: boolean;
    try {
      isDirectory = statSync(root).isDirectory();
    } catch (error) {
      return refuse(goFileError("stat", root, error));
    }
    if (!isDirectory) return refuse(`provided root path ${goQuote(root)} is not a directory`);
    const text = catalogDockerfile({ baseImage, builderImage, indexDirectory, labels: labels.value });
    if (!text.ok) return logged(text.problem);
    try {
      writeFilesAtomically(new Map([[target, text.value]]));
    } catch (error) {
      return fatal(goFileError("open", target, error));
    }
    return { exit: 0, stdout: "", stderr: "" };
  },
};

const version: OpmCommand = {
  path: "version",
  usage: "",
  summary: "print the version",
  flags: [],
  words: [0, Infinity],
  run() {
    const { platform, arch } = process;
    const goArch = arch === "x64" ? "amd64" : arch;
    const fields = [
      `OpmVersion:${goQuote(ownVersion())}`,
      `GitCommit:${goQuote("unknown")}`,
      `BuildDate:${goQuote("unknown")}`,
      `GoOs:${goQuote(platform === "win32" ? "windows" : platform)}`,
      `GoArch:${goQuote(goArch)}`,
    ];
    return { exit: 0, stdout: `Version: version.Version{${fields.join(", ")}}\n`, stderr: "" };
  },
};

/** `opm init`, `opm generate dockerfile` and `opm version`. */
export const authorCommands: readonly OpmCommand[] = [init, generateDockerfile, version];
