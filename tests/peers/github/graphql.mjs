// Executes GraphQL documents against GitHub's published schema. One JSON line in: a document and the data to answer from;
// lines out: mutations that the other side is asked to do (it answers with a line), then the result.
//
// Data: plain objects by field name. {"$ref": id} is an object of `nodes`; {"$by": [arguments], "items": {...}} is looked up by
// arguments, and is what "else" says where nothing has them; {"$error": {type, message}} is an error; an array under a connection is paged. A field that the schema knows and
// the data does not is an error too, so nothing is null by accident.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";

const modules = join(process.argv[2], "node_modules");
const require = createRequire(join(modules, "/"));
const { buildSchema, execute, getNamedType, GraphQLError, parse, validate } = require("graphql");
const text = readFileSync(join(modules, "@octokit/graphql-schema/schema.graphql"), "utf8");
const schema = buildSchema(text, { assumeValidSDL: true });
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const say = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);
const hear = async () => JSON.parse((await lines.next()).value);
const fail = (type, message) => new GraphQLError(message, { extensions: { type } });

function page(items, args, field) {
  if (args.first == null && args.last == null) {
    throw fail("MISSING_PAGINATION_BOUNDARIES", `You must provide a \`first\` or \`last\` value to properly paginate the \`${field}\` connection.`);
  }
  const size = args.first ?? args.last;
  if (size < 1 || size > 100) {
    throw fail("EXCESSIVE_PAGINATION", `Requesting ${size} records on the \`${field}\` connection exceeds the \`first\` limit of 100 records.`);
  }
  const low = args.after == null ? 0 : Number(atob(args.after)) + 1;
  const high = args.before == null ? items.length : Number(atob(args.before));
  const start = args.first == null ? Math.max(low, high - size) : low;
  const end = args.first == null ? high : Math.min(high, low + size);
  const cursor = (index) => (end > start ? btoa(String(index)) : null);
  const nodes = items.slice(start, end);
  return {
    nodes,
    edges: nodes.map((node, index) => ({ node, cursor: btoa(String(start + index)) })),
    totalCount: items.length,
    pageInfo: { hasNextPage: end < items.length, hasPreviousPage: start > 0, startCursor: cursor(start), endCursor: cursor(end - 1) },
  };
}

function follow(value, nodes) {
  if (Array.isArray(value)) return value.map((each) => follow(each, nodes));
  return value?.$ref ? nodes[value.$ref] : value;
}

function resolve(source, args, context, info) {
  const type = getNamedType(info.returnType).name;
  let value = source[info.fieldName];
  if (value === undefined) throw fail("NOT_MODELLED", `The fake of GitHub does not model ${info.parentType.name}.${info.fieldName}`);
  if (value?.$error) throw fail(value.$error.type, value.$error.message);
  if (value?.$by) {
    const key = value.$by.map((name) => String(args[name])).join("/");
    const found = value.items[key] ?? value.items[key.toLowerCase()] ?? value.else;
    if (found === undefined) throw fail("NOT_FOUND", `Could not resolve to a ${type} with the ${value.$by.join("/")} of '${key}'.`);
    value = found;
  }
  value = follow(value, context.nodes);
  if (Array.isArray(value) && type.endsWith("Connection")) return page(value, args, info.fieldName);
  if (value?.$list) return { ...value, ...page(follow(value.$list, context.nodes), args, info.fieldName) };
  return value;
}

async function mutate(source, args, context, info) {
  say({ mutation: info.fieldName, input: args.input });
  const { payload, nodes } = await hear();
  context.nodes = nodes;
  if (payload.$error) throw fail(payload.$error.type, payload.$error.message);
  return { clientMutationId: args.input.clientMutationId ?? null, ...payload };
}

const shown = ({ message, locations, path, extensions }) => {
  const { type, ...rest } = extensions ?? {};
  return { ...(type && { type }), path, ...(Object.keys(rest).length && { extensions: rest }), locations, message };
};

async function answer({ query, variables, operationName, data, nodes }) {
  let document;
  try {
    document = parse(query);
  } catch (error) {
    return { errors: [shown(error)] };
  }
  const problems = validate(schema, document);
  if (problems.length) return { errors: problems.map(shown) };
  const contextValue = { nodes };
  const fieldResolver = (source, args, context, info) =>
    info.parentType.name === "Mutation" ? mutate(source, args, context, info) : resolve(source, args, context, info);
  const result = await execute({ schema, document, rootValue: data, contextValue, variableValues: variables, operationName, fieldResolver });
  return { ...("data" in result && { data: result.data }), ...(result.errors && { errors: result.errors.map(shown) }) };
}

say({ ready: true });
for (let line = await lines.next(); !line.done; line = await lines.next()) {
  say({ result: await answer(JSON.parse(line.value)) });
}
