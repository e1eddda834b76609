// Entrance of the short-lived process that builds one index: arguments in, one JSON line out.
import { writeIndex } from "./write-index.ts";

const [root, into] = process.argv.slice(2);
if (root === undefined || into === undefined) {
  console.error("usage: index-builder CATALOG FOLDER");
  process.exitCode = 2;
} else {
  process.stdout.write(`${JSON.stringify(writeIndex(root, into))}\n`);
}
