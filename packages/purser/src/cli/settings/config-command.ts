import { existsSync } from "node:fs";
import type { JsonObject } from "@purser/kubernetes/json";
import { readSettings } from "../catalog/author-settings.ts";
import { type CommandFamily, flagOption, type Invocation, type Outcome } from "../command.ts";
import { listingOptions, printListing } from "../output/listing.ts";
import { variablesOfUserFile } from "./user-file.ts";
import { userFileOf } from "./user-file-path.ts";
import { userSettings } from "./user-settings.ts";

/** A setting with its value. */
interface Shown {
  readonly name: string;
  readonly value: string;
  /** The variable or file that sets it, or `default`. */
  readonly origin: string;
}

/** `purser config ...` */
export const configCommand: CommandFamily = {
  members: [
    {
      name: "view",
      summary: "Show the settings of this machine; --origin shows where each comes from",
      description: [
        "Settings come from flags, else from variables, else from purser/config.yaml in the XDG config directory, whose keys are the",
        "names that this command lists. Rules for catalogs come from .purser.yaml in the directory or above it. Settings of purser run:",
        "docs/settings.md.",
      ].join("\n"),
      onFiles: true,
      options: [{ flags: "--origin", summary: "show where each value comes from" }, ...listingOptions],
      examples: [["purser config view --origin", "every setting with the variable or file that sets it"]],
      run: view,
    },
  ],
};

async function view(invocation: Invocation): Promise<Outcome> {
  const { env } = invocation.terminal;
  const file = userFileOf(env);
  const inFile = await variablesOfUserFile(file);
  const { file: rules } = readSettings(process.cwd());
  const items: readonly Shown[] = [
    ...userSettings.map(({ name, variable, usual }): Shown => {
      const value = env[variable] ?? "";
      if (value === "") return { name, value: usual(env), origin: "default" };
      return { name, value, origin: inFile[variable] === value ? file : variable };
    }),
    variableRow("kubeconfig", "KUBECONFIG", env),
    variableRow("pager", "PAGER", env),
    { name: "user-file", value: existsSync(file) ? file : "", origin: existsSync(file) ? file : "default" },
    { name: "catalog-rules", value: rules ?? "", origin: rules ?? "default" },
  ];
  const columns = [
    { heading: "NAME", cell: ({ name }: Shown) => name },
    { heading: "VALUE", cell: ({ value }: Shown) => value },
    ...(flagOption(invocation, "origin") ? [{ heading: "ORIGIN", cell: ({ origin }: Shown) => origin }] : []),
  ];
  return printListing(invocation, {
    kind: "SettingList",
    items,
    columns,
    nameOf: ({ name }) => name,
    document: (one): JsonObject => ({ ...one }),
    footer: [],
  });
}

function variableRow(name: string, variable: string, env: Invocation["terminal"]["env"]): Shown {
  const value = env[variable] ?? "";
  return { name, value, origin: value === "" ? "default" : variable };
}
