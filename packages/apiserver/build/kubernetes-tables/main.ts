// Writes the tables of Kubernetes' types anew from openapi-v1.36.3.json.gz, which input.ts writes.
import { writeFileSync } from "node:fs";
import { tables } from "./tables.ts";

for (const [file, text] of tables()) writeFileSync(file, text);
