// aimock with functions for responses, which its command line does not take: `node aimock_nonce.mjs -p PORT -h HOST -f FIXTURES ...`.
// The fixtures are those of aimock's own files; `{nonce}` in an answer becomes the nonce that the question gives last, and the list
// `"{confirmed}"` a ruling on each finding that it names.
import { readFileSync } from "node:fs";
import { LLMock } from "@copilotkit/aimock";

const option = (name) => process.argv[process.argv.indexOf(name) + 1];
const mock = new LLMock({ port: Number(option("-p")), host: option("-h"), strict: true });

const confirmed = (question) =>
  [...question.matchAll(/\\?"id\\?": \\?"(f\d+)/g)].map(([, id]) => {
    return { id, ruling: "confirmed", reason: "why", reason_kind: "other", file: "", quote: "" };
  });

for (const { match, response } of JSON.parse(readFileSync(option("-f"), "utf8")).fixtures) {
  if (response.error) {
    mock.on(match, response);
    continue;
  }
  mock.on(match, (asked) => {
    const question = asked.messages.map(({ content }) => (typeof content === "string" ? content : JSON.stringify(content))).join("\n");
    const nonce = [...question.matchAll(/nonce: ([0-9a-f]{32})/g)].at(-1)?.[1] ?? "";
    const content = response.content.replaceAll("{nonce}", nonce).replaceAll('"{confirmed}"', JSON.stringify(confirmed(question)));
    return { ...response, content };
  });
}
await mock.start();
