import { existsSync, readFileSync } from "node:fs";
import { isJsonObject } from "@purser/kubernetes/json";
import { nearestNames } from "../../explanation/nearest-name.ts";
import { UsageError } from "../command.ts";
import { userFileOf } from "./user-file-path.ts";
import { userSettings } from "./user-settings.ts";

/**
 * The settings in the user's file as variables, by their names; empty when there is no file.
 * @throws UsageError for a file that cannot be read, and for keys that are no settings
 */
export async function variablesOfUserFile(file: string): Promise<Readonly<Record<string, string>>> {
  if (!existsSync(file)) return {};
  const { readYaml } = await import("@purser/kubernetes/text/documents");
  const read = readYaml(readFileSync(file, "utf8"), file);
  if (!read.ok) throw new UsageError(`${file}: ${read.problem.message}`);
  const value = read.value ?? {};
  if (!isJsonObject(value)) throw new UsageError(`${file} is not an object`);
  const names = userSettings.map(({ name }) => name);
  return Object.fromEntries(
    Object.entries(value).map(([name, held]) => {
      const setting = userSettings.find((one) => one.name === name);
      if (setting === undefined) {
        const [near] = nearestNames(name, names);
        const hint = near === undefined ? `known keys: ${names.join(", ")}` : `did you mean "${near}"?`;
        throw new UsageError(`${file} has the key "${name}", which is no setting`, hint);
      }
      if (typeof held !== "string" && typeof held !== "boolean" && typeof held !== "number")
        throw new UsageError(`${name} in ${file} is neither a text nor true or false`);
      return [setting.variable, held === true ? "1" : held === false ? "" : String(held)];
    }),
  );
}

/** The environment in which variables that are not set have the values of the user's file. @throws UsageError as above */
export async function fillFromUserFile(env: Record<string, string | undefined>): Promise<void> {
  const file = userFileOf(env);
  if (!existsSync(file)) return;
  for (const [name, value] of Object.entries(await variablesOfUserFile(file)))
    if (env[name] === undefined || env[name] === "") env[name] = value;
}
