import { existsSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { fatal, logged } from "../../catalog/opm/answer.ts";
import { catalogDockerfile, parseLabels } from "../../catalog/opm/dockerfile.ts";
import { opmInit } from "../../catalog/opm/init.ts";
import { goQuote } from "../../go-quote.ts";
import { ownVersion } from "../commands/version.ts";
import { badFormat, formatOf, outputFlag } from "./catalog-commands.ts";
import { goFileError } from "../../catalog-store/go-file-error.ts";
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
    if (format === undefined) return logged(badFormat(parsed));
    const pack = { name: parsed.words[0] ?? "", defaultChannel: flagText(parsed, "default-channel") };
    const given: { description?: string; icon?: Uint8Array } = {};
    for (const what of ["description", "icon"] as const) {
      const path = flagText(parsed, what);
      if (path === "") continue;
      try {
        const bytes = readFileSync(path);
        if (what === "icon") given.icon = bytes;
        else given.description = bytes.toString("utf8");
      } catch (error) {
        return logged(`open ${what} file: ${goFileError("open", path, error)}`);
      }
    }
    const text = opmInit({ ...pack, ...given }, format);
    return text.ok ? { exit: 0, stdout: text.value, stderr: "" } : logged(text.problem);
  },
};

const upstreamImage = "quay.io/operator-framework/opm:latest";

const generateDockerfile: OpmCommand = {
  path: "generate dockerfile",
  usage: "<fbcRootDir>",
  summary: "write the Dockerfile of a catalog image beside the catalog",
  flags: [
    { name: "base-image", short: "i", value: "IMAGE", summary: `image of the last stage (${upstreamImage})` },
    { name: "binary-image", value: "IMAGE", summary: "deprecated name of --base-image" },
    { name: "builder-image", short: "b", value: "IMAGE", summary: `image that fills the cache (${upstreamImage})` },
    { name: "extra-labels", short: "l", value: "KEY=VALUE", summary: "further labels of the image" },
  ],
  words: [1, 1],
  run(parsed) {
    const { values } = parsed;
    if (values.has("base-image") && values.has("binary-image"))
      return refuse(
        "if any flags in the group [base-image binary-image] are set none of the others can be; [base-image binary-image] were all set",
      );
    const binaryImage = flagText(parsed, "binary-image", upstreamImage);
    const baseImage = flagText(parsed, "base-image", binaryImage);
    const builderImage = flagText(parsed, "builder-image", binaryImage);
    if (builderImage === "scratch") return refuse(`invalid builder image: ${goQuote(builderImage)}`);
    const labels = parseLabels((values.get("extra-labels") ?? []).flatMap((text) => text.split(",")));
    if (!labels.ok) return refuse(labels.problem);
    const root = resolve(parsed.words[0] ?? "");
    const target = join(dirname(root), `${basename(root)}.Dockerfile`);
    if (existsSync(target)) return fatal(`path ${goQuote(target)}: file already exists`);
    const [given = ""] = parsed.words;
    let isDirectory: boolean;
    try {
      isDirectory = statSync(root).isDirectory();
    } catch (error) {
      return refuse(goFileError("stat", given, error));
    }
    if (!isDirectory) return refuse(`provided root path ${goQuote(given)} is not a directory`);
    const text = catalogDockerfile({ baseImage, builderImage, indexFolder: basename(root), labels: labels.value });
    if (!text.ok) return refuse(text.problem);
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

/** The commands that write something new. */
export const authorCommands: readonly OpmCommand[] = [init, generateDockerfile, version];
