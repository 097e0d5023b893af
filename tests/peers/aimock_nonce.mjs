// aimock with functions for responses, which its command line does not take: `node aimock_nonce.mjs -p PORT -h HOST -f FIXTURES ...`.
// The fixtures are those of aimock's own files; `{nonce}` in an answer becomes the nonce that the question gives last.
import { readFileSync } from "node:fs";
import { LLMock } from "@copilotkit/aimock";

const option = (name) => process.argv[process.argv.indexOf(name) + 1];
const mock = new LLMock({ port: Number(option("-p")), host: option("-h"), strict: true });

for (const { match, response } of JSON.parse(readFileSync(option("-f"), "utf8")).fixtures) {
  if (response.error) {
    mock.on(match, response);
    continue;
  }
  mock.on(match, (asked) => {
    const nonces = [...JSON.stringify(asked.messages).matchAll(/nonce: ([0-9a-f]{32})/g)];
    return { ...response, content: response.content.replaceAll("{nonce}", nonces.at(-1)?.[1] ?? "") };
  });
}
await mock.start();
