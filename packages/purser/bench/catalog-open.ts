// Fresh process: from the call that opens a stored index to the answer of GetPackage. Arguments: index file, package.
import { openIndex } from "../src/catalog-store/open.ts";
import { findPackage } from "../src/registry-api/registry-queries.ts";

const [file = "", name = ""] = process.argv.slice(2);
const start = performance.now();
const opened = openIndex(file);
if (!opened.ok) throw new Error(opened.problem.message);
const found = findPackage(opened.value, name);
const took = performance.now() - start;
if (!found.ok) throw new Error(found.problem);
console.log(JSON.stringify({ took, channels: found.value.channels.length }));
