"""One file of each of 33 kinds, and three obvious defects for each: text that is replaced, and what
by."""

from typing import NamedTuple


class Kind(NamedTuple):
    """A kind of file: its path (in a folder of its own for each defect), a clean text, and the
    defects as (name, text that goes, text that comes)."""

    path: str
    clean: str
    defects: tuple[tuple[str, str, str], ...]


KINDS: dict[str, Kind] = {
    "Go": Kind(
        "main.go",
        """package main

import "fmt"

func area(w, h int) int {
	return w * h
}

func main() {
	n := area(2, 3)
	if n > 4 {
		fmt.Printf("%d\\n", n)
	}
}
""",
        (
            ("missing brace", "if n > 4 {", "if n > 4"),
            ("wrong format verb", '"%d\\n"', '"%s\\n"'),
            ("unknown name", "return w * h", "return w * height"),
        ),
    ),
    "Java": Kind(
        "Stock.java",
        """import java.util.List;

public class Stock {
    private int count = 0;

    public int total(List<Integer> parts) {
        int sum = 0;
        for (int part : parts) {
            sum += part;
        }
        return sum + count;
    }

    public boolean named(String name) {
        return name.equals("spare");
    }
}
""",
        (
            ("missing semicolon", "int sum = 0;", "int sum = 0"),
            ("wrong type", "int sum = 0;", 'int sum = "0";'),
            ("missing return", "return sum + count;", "sum += count;"),
        ),
    ),
    "Rust": Kind(
        "lib.rs",
        """pub fn mean(values: &[f64]) -> Option<f64> {
    if values.is_empty() {
        return None;
    }
    let sum: f64 = values.iter().sum();
    Some(sum / values.len() as f64)
}

pub fn label(count: usize) -> String {
    format!("{count} items")
}
""",
        (
            ("missing brace", "if values.is_empty() {", "if values.is_empty()"),
            ("unclosed call", 'format!("{count} items")', 'format!("{count} items"'),
            ("unknown keyword", "pub fn label", "pub func label"),
        ),
    ),
    "Ruby": Kind(
        "order.rb",
        """class Order
  def initialize(items)
    @items = items
  end

  def total
    sum = 0
    @items.each { |item| sum += item.price }
    sum
  end

  def big?
    total > 100
  end
end
""",
        (
            ("missing end", "    total > 100\n  end\n", "    total > 100\n"),
            ("duplicate method", "def big?", "def total"),
            ("assignment in condition", "    total > 100\n", "    if @big = 1 then true end\n"),
        ),
    ),
    "PHP": Kind(
        "cart.php",
        """<?php

function total(array $items): float
{
    $sum = 0.0;
    foreach ($items as $item) {
        $sum += $item['price'];
    }
    return $sum;
}

echo htmlspecialchars((string) total([]));
""",
        (
            ("missing semicolon", "$sum = 0.0;", "$sum = 0.0"),
            ("unclosed bracket", "total([])", "total([)"),
            ("eval of a request", "echo htmlspecialchars((string) total([]));",
             "eval($_GET['c']);"),
        ),
    ),
    "C": Kind(
        "list.c",
        """#include <stdlib.h>
#include <string.h>

int *copy(const int *from, size_t count) {
    int *to = malloc(count * sizeof *to);
    if (to == NULL)
        return NULL;
    memcpy(to, from, count * sizeof *to);
    return to;
}

int first(void) {
    int few[4] = {1, 2, 3, 4};
    return few[0];
}
""",
        (
            ("missing parenthesis", "if (to == NULL)", "if (to == NULL"),
            ("index out of bounds", "return few[0];", "return few[4];"),
            ("memory leak", "    return to;\n", "    return NULL;\n"),
        ),
    ),
    "C++": Kind(
        "shape.cpp",
        """#include <vector>

class Shape {
public:
    explicit Shape(int sides) : sides_(sides) {}
    int sides() const { return sides_; }

private:
    int sides_;
};

int sum(const std::vector<int> &values) {
    int total = 0;
    for (int value : values) {
        total += value;
    }
    return total;
}
""",
        (
            ("missing parenthesis", "(int value : values) {", "(int value : values {"),
            ("uninitialised", "int total = 0;", "int total;"),
            ("null pointer", "    return total;\n", "    int *p = nullptr;\n    return *p;\n"),
        ),
    ),
    "C#": Kind(
        "Stock.cs",
        """using System.Collections.Generic;

public class Stock
{
    private readonly List<int> parts = new List<int>();

    public int Total()
    {
        var sum = 0;
        foreach (var part in parts)
        {
            sum += part;
        }
        return sum;
    }
}
""",
        (
            ("missing semicolon", "var sum = 0;", "var sum = 0"),
            ("missing parenthesis", "foreach (var part in parts)", "foreach (var part in parts"),
            ("missing brace", "sum += part;\n        }\n", "sum += part;\n"),
        ),
    ),
    "Kotlin": Kind(
        "Stock.kt",
        """class Stock(private val parts: List<Int>) {
    fun total(): Int {
        var sum = 0
        for (part in parts) {
            sum += part
        }
        return sum
    }
}
""",
        (
            ("missing brace", "for (part in parts) {", "for (part in parts)) {"),
            ("unclosed list", "List<Int>)", "List<Int>"),
            ("no value", "var sum = 0", "var sum ="),
        ),
    ),
    "Swift": Kind(
        "Stock.swift",
        """struct Stock {
    let parts: [Int]

    func total() -> Int {
        var sum = 0
        for part in parts {
            sum += part
        }
        return sum
    }
}
""",
        (
            ("missing brace", "for part in parts {", "for part in parts"),
            ("unclosed list", "[Int]", "[Int"),
            ("no value", "var sum = 0", "var sum ="),
        ),
    ),
    "Scala": Kind(
        "Stock.scala",
        """class Stock(parts: List[Int]) {
  def total: Int = {
    var sum = 0
    for (part <- parts) {
      sum += part
    }
    sum
  }
}
""",
        (
            ("missing parenthesis", "for (part <- parts) {", "for (part <- parts {"),
            ("unclosed type", "List[Int])", "List[Int)"),
            ("no value", "var sum = 0", "var sum = )"),
        ),
    ),
    "Lua": Kind(
        "stock.lua",
        """local Stock = {}

function Stock.total(parts)
  local sum = 0
  for _, part in ipairs(parts) do
    sum = sum + part
  end
  return sum
end

return Stock
""",
        (
            ("missing do", "ipairs(parts) do", "ipairs(parts)"),
            ("global by mistake", "local sum = 0", "local sum = 0\n  totals = 1"),
            ("unknown name", "sum = sum + part", "sum = sum + prat"),
        ),
    ),
    "Perl": Kind(
        "stock.pl",
        """use strict;
use warnings;

sub total {
    my @parts = @_;
    my $sum = 0;
    foreach my $part (@parts) {
        $sum += $part;
    }
    return $sum;
}

print total(1, 2), "\\n";
""",
        (
            ("missing brace", "foreach my $part (@parts) {", "foreach my $part (@parts) "),
            ("two-argument open", "return $sum;", "open(F, $sum);\n    return $sum;"),
            ("string eval", "return $sum;", "return eval \"$sum\";"),
        ),
    ),
    "SQL": Kind(
        "migrations/2.sql",
        """BEGIN;
SET lock_timeout = '1s';
SET statement_timeout = '5s';
CREATE TABLE IF NOT EXISTS orders (id bigint PRIMARY KEY, price bigint);
SELECT id, price FROM orders WHERE price > 10;
COMMIT;
""",
        (
            ("misspelt keyword", "SELECT id, price FROM", "SELEC id, price FROM"),
            ("unclosed parenthesis", "price bigint);", "price bigint;"),
            ("dropped column", "SELECT id, price FROM orders WHERE price > 10;",
             "ALTER TABLE orders DROP COLUMN price;"),
        ),
    ),
    "TypeScript": Kind(
        "stock.ts",
        """export interface Part {
  name: string;
  price: number;
}

export function total(parts: Part[]): number {
  let sum = 0;
  for (const part of parts) {
    sum += part.price;
  }
  return sum;
}
""",
        (
            ("missing brace", "for (const part of parts) {", "for (const part of parts {"),
            ("constant assigned", "let sum = 0;", "const sum = 0;"),
            ("self comparison", "return sum;", "return sum === sum ? sum : 0;"),
        ),
    ),
    "JavaScript": Kind(
        "stock.js",
        """export function total(parts) {
  let sum = 0;
  for (const part of parts) {
    sum += part.price;
  }
  return sum;
}

export const names = { spare: "Spare", used: "Used" };
""",
        (
            ("missing brace", "for (const part of parts) {", "for (const part of parts {"),
            ("duplicate key", 'used: "Used"', 'spare: "Used"'),
            ("impossible comparison", "return sum;", "return typeof sum === 'nunber' ? 1 : sum;"),
        ),
    ),
    "CSS": Kind(
        "site.css",
        """.menu {
  color: #336699;
  margin: 0 auto;
}

.menu a:hover {
  text-decoration: underline;
}
""",
        (
            ("missing brace", "  margin: 0 auto;\n}\n", "  margin: 0 auto;\n"),
            ("unknown property", "text-decoration:", "text-decorration:"),
            ("invalid unit", "margin: 0 auto", "margin: 5pxx auto"),
        ),
    ),
    "HTML": Kind(
        "index.html",
        """<!DOCTYPE html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <title>Stock</title>
</head>
<body>
  <h1 id="top">Stock</h1>
  <p class="lead">All <b>parts</b>.</p>
  <script>const parts = [1];</script>
</body>
</html>
""",
        (
            ("unclosed tag", "<b>parts</b>", "<b>parts"),
            ("duplicate attribute", '<p class="lead">', '<p class="lead" class="big">'),
            ("broken script", "const parts = [1];", "const parts = [1;"),
        ),
    ),
    "Vue": Kind(
        "Stock.vue",
        """<template>
  <ul>
    <li v-for="part in parts" :key="part.id">{{ part.name }}</li>
  </ul>
</template>

<script setup>
const parts = [{ id: 1, name: "Spare" }];
</script>
""",
        (
            ("broken script", "const parts = [{", "const parts = {"),
            ("constant assigned", "</script>", "parts = [];\n</script>"),
            ("duplicate key", 'name: "Spare"', "id: 2"),
        ),
    ),
    "Dockerfile": Kind(
        "Dockerfile",
        """FROM python:3.12-slim
WORKDIR /app
COPY . /app
RUN pip install --no-cache-dir flask==3.1.0
USER nobody
CMD ["python", "app.py"]
""",
        (
            ("unknown instruction", "COPY . /app", "COYP . /app"),
            ("untagged image", "FROM python:3.12-slim", "FROM python"),
            ("sudo", "RUN pip install", "RUN sudo pip install"),
        ),
    ),
    "compose": Kind(
        "compose.yaml",
        """services:
  web:
    image: nginx:1.27
    ports:
      - "8080:80"
    environment:
      MODE: production
""",
        (
            ("tab", "    image: nginx:1.27", "\timage: nginx:1.27"),
            ("duplicate key", "    environment:", "    image: nginx:1.26\n    environment:"),
            ("docker socket", "    environment:",
             "    volumes:\n      - /var/run/docker.sock:/var/run/docker.sock\n    environment:"),
        ),
    ),
    "YAML": Kind(
        "settings.yaml",
        """server:
  host: localhost
  port: 8080
names:
  - one
  - two
""",
        (
            ("unclosed quote", "host: localhost", "host: 'localhost"),
            ("duplicate key", "  port: 8080", "  port: 8080\n  port: 9090"),
            ("wrong indent", "  - two", " - two"),
        ),
    ),
    "JSON": Kind(
        "settings.json",
        """{
  "host": "localhost",
  "port": 8080,
  "names": ["one", "two"]
}
""",
        (
            ("missing comma", '"port": 8080,', '"port": 8080'),
            ("duplicate key", '"port": 8080,', '"host": "other",'),
            ("unclosed list", '"two"]', '"two"'),
        ),
    ),
    "TOML": Kind(
        "settings.toml",
        """[server]
host = "localhost"
port = 8080

[names]
all = ["one", "two"]
""",
        (
            ("unclosed string", '"localhost"', '"localhost'),
            ("duplicate key", "port = 8080", 'host = "other"'),
            ("duplicate table", "[names]", "[server]"),
        ),
    ),
    "Terraform": Kind(
        "main.tf",
        """resource "aws_s3_bucket" "logs" {
  bucket = "stock-logs"

  tags = {
    team = "stock"
  }
}

output "bucket" {
  value = aws_s3_bucket.logs.id
}
""",
        (
            ("missing brace", "  tags = {\n", "  tags = \n"),
            ("unclosed string", '"stock-logs"', '"stock-logs'),
            ("duplicate argument", "  tags = {", '  bucket = "other"\n\n  tags = {'),
        ),
    ),
    "proto": Kind(
        "stock.proto",
        """syntax = "proto3";

package stock.v1;

message Part {
  string name = 1;
  int64 price = 2;
}
""",
        (
            ("missing semicolon", "string name = 1;", "string name = 1"),
            ("duplicate number", "price = 2;", "price = 1;"),
            ("unknown type", "int64 price", "integer price"),
        ),
    ),
    "GraphQL": Kind(
        "schema.graphql",
        """type Query {
  parts(first: Int!): [Part!]!
}

type Part {
  id: ID!
  name: String
}
""",
        (
            ("missing brace", "type Part {", "type Part "),
            ("unclosed list", "[Part!]!", "[Part!"),
            ("duplicate field", "  name: String", "  id: String"),
        ),
    ),
    "Markdown": Kind(
        "README.md",
        """# Stock

See [the guide](#usage).

## Usage

Run it:

1. Start.
2. Wait.
""",
        (
            ("broken fragment", "(#usage)", "(#useage)"),
            ("misspelt word", "Run it:", "Run it seperately:"),
            ("reversed link", "[the guide](#usage)", "(the guide)[#usage]"),
        ),
    ),
    "shell": Kind(
        "deploy.sh",
        """#!/bin/sh
set -eu
dir="$1"
if [ -d "$dir" ]; then
  rm -r "$dir"
fi
echo done
""",
        (
            ("missing fi", "fi\n", ""),
            ("unquoted variable", 'rm -r "$dir"', "rm -r $dir"),
            ("misspelt variable", 'rm -r "$dir"', 'rm -r "$dri/"'),
        ),
    ),
    "PowerShell": Kind(
        "deploy.ps1",
        """param([string]$Path)

function Get-Total {
    param([int[]]$Parts)
    $sum = 0
    foreach ($part in $Parts) {
        $sum += $part
    }
    return $sum
}
""",
        (
            ("missing brace", "foreach ($part in $Parts) {", "foreach ($part in $Parts) "),
            ("unclosed string", "$sum = 0", '$sum = "0'),
            ("run of a download", "return $sum", "Invoke-Expression $Path"),
        ),
    ),
    "Makefile": Kind(
        "Makefile",
        """.PHONY: all clean

all: main.o
\tcc -o main main.o

clean:
\trm -f main main.o
""",
        (
            ("spaces for a tab", "\trm -f main main.o", "    rm -f main main.o"),
            ("missing separator", "all: main.o", "all main.o"),
            ("unclosed reference", "cc -o main main.o", "$(CC -o main main.o"),
        ),
    ),
    "notebook": Kind(
        "stock.ipynb",
        """{
 "cells": [
  {
   "cell_type": "code",
   "execution_count": null,
   "id": "a1",
   "metadata": {},
   "outputs": [],
   "source": [
    "import json\\n",
    "\\n",
    "parts = json.loads('[1]')\\n",
    "print(sum(parts))"
   ]
  }
 ],
 "metadata": {"language_info": {"name": "python"}},
 "nbformat": 4,
 "nbformat_minor": 5
}
""",
        (
            ("unknown name", "print(sum(parts))", "print(sum(prats))"),
            ("syntax error", "print(sum(parts))", "print(sum(parts)"),
            ("shell injection", "print(sum(parts))",
             "import subprocess; subprocess.run(input(), shell=True)"),
        ),
    ),
    "Kubernetes": Kind(
        "deploy/web.yaml",
        """apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  selector:
    matchLabels: {app: web}
  template:
    metadata:
      labels: {app: web}
    spec:
      containers:
        - name: web
          image: nginx:1.27
          securityContext:
            runAsNonRoot: true
""",
        (
            ("tab", "          image: nginx:1.27", "\t\t\timage: nginx:1.27"),
            ("privileged", "runAsNonRoot: true", "privileged: true"),
            ("duplicate key", "          image: nginx:1.27",
             "          image: nginx:1.27\n          image: nginx:1.28"),
        ),
    ),
}  # fmt: skip
