"""GraphQL over HTTP: documents are executed on GitHub's schema, the state is in graphql_data.py.

Data: plain values by field name. {"$ref": id} is an object of `nodes`; {"$by": [arguments],
"items": {...}} is looked up by arguments, and is what "else" says where nothing has them;
{"$error": {type, message}} is an error; a list under a connection is paged. A field that the schema
knows and the data does not is an error too, so nothing is null by accident.
"""

from base64 import b64decode, b64encode
from functools import cache
from pathlib import Path
from typing import Any

from graphql import (
    GraphQLError,
    GraphQLResolveInfo,
    GraphQLSchema,
    build_schema,
    execute_sync,
    get_named_type,
    parse,
    validate,
)

from .graphql_data import Data
from .graphql_mutations import mutate
from .routes import Answer, Call, Refusal, route
from .shapes import Json


@cache
def load_schema(path: Path) -> GraphQLSchema:
    """A schema's file, read once by each process: the whole one takes two seconds."""
    # GitHub's deprecates fields that its interfaces do not
    return build_schema(path.read_text("utf-8"), assume_valid=True)


def answer_graphql(call: Call, schema: GraphQLSchema) -> Answer:
    """What GitHub answers: 200 with data, errors, or both."""
    body = call.json()
    if not isinstance(body.get("query"), str):
        raise Refusal(400, "A query attribute must be specified and must be a string.")
    try:
        document = parse(body["query"])
    except GraphQLError as error:
        return Answer(200, {"errors": [_shown(error)]})
    if problems := validate(schema, document):
        return Answer(200, {"errors": [_shown(problem) for problem in problems]})
    state = _State(call)
    result = execute_sync(
        schema,
        document,
        root_value=state.data.root,
        variable_values=body.get("variables"),
        operation_name=body.get("operationName"),
        field_resolver=state.resolve,
    )
    errors = result.errors or []
    for error in errors:
        if error.original_error and not isinstance(error.original_error, GraphQLError):
            raise error.original_error  # a mistake of the fake's own
    return Answer(
        200,
        {
            "data": result.data,
            **({"errors": [_shown(error) for error in errors]} if errors else {}),
        },
    )


class _State:
    """What the fields of one document are read from; a mutation reads it anew."""

    def __init__(self, call: Call) -> None:
        self.call, self.data = call, Data(call)

    def resolve(self, source: Json, info: GraphQLResolveInfo, **args: Any) -> Any:
        if info.parent_type.name == "Mutation":
            return self._mutate(info.field_name, args["input"])
        kind = get_named_type(info.return_type).name
        if info.field_name not in source:
            raise _error(
                "NOT_MODELLED",
                f"The fake of GitHub does not model {info.parent_type.name}.{info.field_name}",
            )
        value = _looked_up(_checked(source[info.field_name]), args, kind)
        if isinstance(value, dict) and "$list" in value:
            return {**value, **_page(self._follow(value["$list"]), args, info.field_name)}
        value = self._follow(value)
        return (
            _page(value, args, info.field_name)
            if isinstance(value, list) and kind.endswith("Connection")
            else value
        )

    def _follow(self, value: Any) -> Any:
        if isinstance(value, list):
            return [self._follow(each) for each in value]
        return (
            self.data.nodes.get(value["$ref"])
            if isinstance(value, dict) and "$ref" in value
            else value
        )

    def _mutate(self, name: str, given: Json) -> Json:
        payload = _checked(mutate(self.call, name, given))
        self.data = Data(self.call)
        return {"clientMutationId": given.get("clientMutationId"), **payload}


def _checked(value: Any) -> Any:
    """A value; an error in its place is raised."""
    if isinstance(value, dict) and "$error" in value:
        raise _error(**value["$error"])
    return value


def _looked_up(value: Any, args: Json, kind: str) -> Any:
    if not isinstance(value, dict) or "$by" not in value:
        return value
    key = "/".join(str(args[name]) for name in value["$by"])
    items = value["items"]
    found = items.get(key, items.get(key.lower(), value.get("else", _looked_up)))
    if found is _looked_up:
        raise _error(
            "NOT_FOUND",
            f"Could not resolve to a {kind} with the {'/'.join(value['$by'])} of '{key}'.",
        )
    return _checked(found)


def _page(items: list[Any], args: Json, field: str) -> Json:
    first, last = args.get("first"), args.get("last")
    size = last if first is None else first
    if size is None:
        message = (
            f"You must provide a `first` or `last` value to properly paginate the `{field}` "
            "connection."
        )
        raise _error("MISSING_PAGINATION_BOUNDARIES", message)
    if not 1 <= size <= 100:
        message = (
            f"Requesting {size} records on the `{field}` connection exceeds the `first` limit "
            "of 100 records."
        )
        raise _error("EXCESSIVE_PAGINATION", message)
    low = 0 if args.get("after") is None else int(b64decode(args["after"])) + 1
    high = len(items) if args.get("before") is None else int(b64decode(args["before"]))
    start, end = (max(low, high - size), high) if first is None else (low, min(high, low + size))
    cursors = [b64encode(str(index).encode()).decode() for index in range(start, end)]
    ends = (
        {"startCursor": cursors[0], "endCursor": cursors[-1]}
        if cursors
        else {"startCursor": None, "endCursor": None}
    )
    return {
        "nodes": items[start:end],
        "edges": [
            {"node": node, "cursor": cursor}
            for node, cursor in zip(items[start:end], cursors, strict=True)
        ],
        "totalCount": len(items),
        "pageInfo": {"hasNextPage": end < len(items), "hasPreviousPage": start > 0, **ends},
    }


def _error(type: str, message: str) -> GraphQLError:
    return GraphQLError(message, extensions={"type": type})


def _shown(error: GraphQLError) -> Json:
    """As GitHub writes it: the kind of error stands beside its message."""
    shown: Json = {**error.formatted}
    kind = shown.pop("extensions", {}).get("type")
    return {"type": kind, **shown} if kind else shown


@route("POST", "/graphql")
def graphql(call: Call) -> Answer:
    if call.token is None:
        raise Refusal(401, "This endpoint requires you to be authenticated.")
    return answer_graphql(call, load_schema(call.world.schema))
