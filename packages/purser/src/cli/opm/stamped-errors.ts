import type { OpmAnswer } from "../../catalog/opm/answer.ts";

const levelTexts: Readonly<Record<string, string>> = { fatal: "FATA", warning: "WARN", info: "INFO" };

/**
 * The stderr of an answer in the format of upstream's loggers: logrus records get the time in RFC 3339 (on a terminal the
 * seconds since the start, with an unquoted message), Go's standard logger prefixes its text with the time.
 */
export function stampedErrors({ exit, stderr }: OpmAnswer, now: number, terminal: boolean): string {
  const stamp = new Date(now).toISOString();
  const plain = `${stamp.slice(0, 19).replaceAll("-", "/").replace("T", " ")} `;
  if (!/^level=/m.test(stderr)) {
    const [, said = "", text = ""] = /^((?:(?:Flag --|Command ").*\n)*)([\s\S]*)$/.exec(stderr) ?? [];
    return exit === 0 || text === "" || text.startsWith("Error: ") ? stderr : said + plain + text;
  }
  if (!terminal) return stderr.replaceAll(/^level=/gm, `time="${stamp.slice(0, 19)}Z" level=`);
  return stderr.replaceAll(/^level=(\w+) msg=(.*)$/gm, (_record, level: string, message: string) => {
    const text = message.startsWith('"') ? readable(message) : message;
    return `${levelTexts[level] ?? level}[0000] ${text}`;
  });
}

/** A quoted text with line breaks and quotation marks unescaped; other control characters stay escaped. */
function readable(quoted: string): string {
  return quoted.slice(1, -1).replaceAll(/\\(.)/g, (escape, letter: string) => {
    if (letter === "n") return "\n";
    if (letter === "t") return "\t";
    return letter === '"' || letter === "\\" ? letter : escape;
  });
}
