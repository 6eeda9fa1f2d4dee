"""The contract: api/openapi.json as the judge of every reply, and the list of what was asked."""

import json
import re
from pathlib import Path

from jsonschema import Draft202012Validator, RefResolver

ROOT = Path(__file__).resolve().parents[3]
METHODS = ("get", "put", "post", "delete", "patch", "head", "options")


class ContractError(AssertionError):
    """A reply that is not what openapi.json says."""


class Operation:
    """One method of one path template."""

    def __init__(self, template, method, item):
        self.template = template
        self.method = method
        self.item = item
        # A parameter is one segment, or the part of one before an extension ("{id}.{ext}").
        pattern = re.sub(r"\\\{[a-z_]+\\\}", "[^/]+?", re.escape(template))
        self.pattern = re.compile(pattern + r"\Z")
        # The more of a template is literal, the better it describes a path.
        self.weight = len(re.sub(r"\{[a-z_]+\}", "", template))

    @property
    def name(self):
        return f"{self.method.upper()} {self.template}"


class Contract:
    def __init__(self, document=None):
        self.document = document or json.loads((ROOT / "api" / "openapi.json").read_text())
        Draft202012Validator.check_schema({"$defs": self.document.get("components", {}).get("schemas", {})})
        self.resolver = RefResolver("", self.document)
        self.operations = [
            Operation(template, method, item)
            for template, items in self.document["paths"].items()
            for method, item in items.items()
            if method in METHODS
        ]
        self.hit = set()

    def find(self, method, path):
        """The operation of a request, None when the contract has none. HEAD is answered as GET."""
        method = "get" if method == "HEAD" else method.lower()
        found = [o for o in self.operations if o.method == method and o.pattern.match(path)]
        return max(found, key=lambda o: o.weight, default=None)

    def resolve(self, item):
        while "$ref" in item:
            item = self.resolver.resolve(item["$ref"])[1]
        return item

    def validate(self, schema, value, what):
        validator = Draft202012Validator(schema, resolver=self.resolver)
        errors = sorted(validator.iter_errors(value), key=lambda e: list(e.absolute_path))
        if errors:
            first = errors[0]
            where = "/".join(str(p) for p in first.absolute_path)
            raise ContractError(f"{what}: at /{where}: {first.message}")

    def check(self, reply):
        """Raises ContractError unless the reply is one that openapi.json describes."""
        what = f"{reply.method} {reply.target} -> {reply.status}"
        operation = self.find(reply.method, reply.path)
        if operation is None:
            # Nothing of ours, or a wrong method: a problem all the same.
            if reply.status < 400:
                raise ContractError(f"{what}: not in the contract")
            self.check_problem(reply, what)
            return
        self.hit.add(operation.name)
        responses = operation.item["responses"]
        status = str(reply.status)
        response = responses.get(status) or responses.get(status[0] + "XX") or responses.get("default")
        if response is None:
            raise ContractError(f"{what}: {operation.name} has no such status")
        response = self.resolve(response)
        self.check_body(reply, response, what)
        # /readyz alone has an error of another kind.
        if reply.status >= 400 and "application/json" not in response.get("content", {}):
            self.check_problem(reply, what)

    def check_body(self, reply, response, what):
        content = response.get("content", {})
        if reply.status in (204, 304) or reply.method == "HEAD":
            if reply.body:
                raise ContractError(f"{what}: a body of {len(reply.body)} bytes")
            return
        if not reply.body and not content:
            return
        media = content.get(reply.media_type)
        if media is None:
            raise ContractError(f"{what}: {reply.media_type!r} is none of {sorted(content)}")
        if reply.media_type == "application/x-ndjson":
            for number, line in enumerate(reply.text.splitlines()):
                self.validate({"$ref": "#/components/schemas/Frame"}, json.loads(line), f"{what}, line {number}")
        elif reply.is_json and "schema" in media:
            self.validate(media["schema"], reply.json, what)

    def check_problem(self, reply, what):
        """RFC 9457, as section 7 of the contract has it."""
        if reply.method == "HEAD":
            return
        if reply.media_type == "text/html":  # for people; which requests get it is test_links' matter
            if not reply["X-Request-Id"] or str(reply.status) not in reply.text:
                raise ContractError(f"{what}: a page that does not say the status, or no X-Request-Id")
            return
        if reply.media_type != "application/problem+json":
            raise ContractError(f"{what}: an error as {reply.media_type!r}")
        problem = reply.json
        if problem.get("status") != reply.status:
            raise ContractError(f"{what}: the problem says status {problem.get('status')}")
        detail = problem.get("detail", "")
        if not detail or "\n" in detail:
            raise ContractError(f"{what}: detail is {detail!r}")
        for member in ("type", "title", "request_id"):
            if not problem.get(member):
                raise ContractError(f"{what}: no {member}")

    def missed(self):
        """Operations that no test has asked for."""
        return sorted(o.name for o in self.operations if o.name not in self.hit)
