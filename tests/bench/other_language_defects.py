"""A second file of each of the 33 kinds with three other defects each, written after the rules and
without a look at them."""

from .language_defects import Kind

KINDS: dict[str, Kind] = {
    "Go": Kind(
        "pool.go",
        """package pool

import (
	"errors"
	"sync"
)

type Pool struct {
	mu    sync.Mutex
	names []string
}

var ErrFull = errors.New("full")

func (p *Pool) Add(name string, limit int) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.names) >= limit {
		return ErrFull
	}
	p.names = append(p.names, name)
	return nil
}

func (p *Pool) First() string {
	return p.names[0]
}
""",
        (
            ("unused variable", "	return p.names[0]\n", "	size := 1\n	return p.names[0]\n"),
            ("copied lock", "func (p *Pool) First()", "func (p Pool) First()"),
            ("misspelt keyword", "func (p *Pool) First()", "fnuc (p *Pool) First()"),
        ),
    ),
    "Java": Kind(
        "Words.java",
        """import java.util.ArrayList;
import java.util.List;

public class Words {
    public static List<String> shorter(List<String> words, int limit) {
        List<String> found = new ArrayList<>();
        for (String word : words) {
            if (word.length() < limit) {
                found.add(word);
            }
        }
        return found;
    }

    static int sign(int value) {
        int result = 0;
        if (value > 0) {
            result = 1;
        }
        return result;
    }
}
""",
        (
            ("missing brace", "                found.add(word);\n            }\n",
             "                found.add(word);\n"),
            ("not initialised", "int result = 0;", "int result;"),
            ("unreachable", "        return found;\n",
             "        return found;\n        found.clear();\n"),
        ),
    ),
    "Rust": Kind(
        "queue.rs",
        """use std::collections::VecDeque;

pub struct Queue {
    jobs: VecDeque<String>,
}

impl Queue {
    pub fn push(&mut self, job: &str) -> usize {
        let mut count = self.jobs.len();
        self.jobs.push_back(job.to_string());
        count += 1;
        count
    }

    pub fn pop(&mut self) -> Option<String> {
        self.jobs.pop_front()
    }
}
""",
        (
            ("missing semicolon", "let mut count = self.jobs.len();",
             "let mut count = self.jobs.len()"),
            ("constant assigned", "let mut count", "let count"),
            ("missing bracket", "Option<String> {", "Option<String {"),
        ),
    ),
    "Ruby": Kind(
        "mailer.rb",
        """class Mailer
  HEADERS = { from: "a@example.com", reply: "b@example.com" }.freeze

  def deliver(to, text)
    if to.nil?
      raise ArgumentError, "nobody"
    elsif text.empty?
      return false
    end
    transport.send(to, text, HEADERS)
  end
end
""",
        (
            ("else if", "elsif text.empty?", "else if text.empty?"),
            ("unclosed string", 'raise ArgumentError, "nobody"', 'raise ArgumentError, "nobody'),
            ("duplicate key", 'reply: "b@', 'from: "b@'),
        ),
    ),
    "PHP": Kind(
        "users.php",
        """<?php

class Users
{
    public function __construct(private PDO $db)
    {
    }

    public function find(string $name): array
    {
        $limit = 10;
        $query = $this->db->prepare('SELECT id FROM users WHERE name = ? LIMIT 10');
        $query->execute([$name]);
        return $query->fetchAll();
    }
}
""",
        (
            ("missing brace", "        return $query->fetchAll();\n    }\n",
             "        return $query->fetchAll();\n"),
            ("missing dollar", "$limit = 10;", "limit = 10;"),
            ("injection", "$query->execute([$name]);",
             "$this->db->query(\"SELECT id FROM users WHERE name = '\" . $_GET['name'] . \"'\");"),
        ),
    ),
    "C": Kind(
        "name.c",
        """#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *greeting(const char *name) {
    size_t size = strlen(name) + 8;
    char *text = malloc(size);
    if (!text)
        return NULL;
    snprintf(text, size, "Hello, %s", name);
    return text;
}

void show(const char *name) {
    char *text = greeting(name);
    if (text)
        puts(text);
    free(text);
}
""",
        (
            ("missing semicolon", "char *text = malloc(size);", "char *text = malloc(size)"),
            ("use after free", "    if (text)\n        puts(text);\n    free(text);\n",
             "    free(text);\n    puts(text);\n"),
            ("double free", "    free(text);\n", "    free(text);\n    free(text);\n"),
        ),
    ),
    "C++": Kind(
        "buffer.cpp",
        """#include <string>

class Buffer {
public:
    explicit Buffer(int size) : data_(new char[size]) {}
    ~Buffer() { delete[] data_; }
    Buffer(const Buffer &) = delete;
    Buffer &operator=(const Buffer &) = delete;

private:
    char *data_;
};

std::string join(const std::string &one, const std::string &other) {
    std::string both = one + other;
    return both;
}

int ratio(int part) {
    int whole = 4;
    return part / whole;
}
""",
        (
            ("missing semicolon", "    char *data_;\n};", "    char *data_;\n}"),
            ("reference to a local", "std::string join(", "const std::string &join("),
            ("division by zero", "int whole = 4;", "int whole = 0;"),
        ),
    ),
    "C#": Kind(
        "Mailer.cs",
        """using System;

namespace Shop
{
    public class Mailer
    {
        public bool Send(string to, string text)
        {
            if (string.IsNullOrEmpty(to))
            {
                throw new ArgumentException("nobody");
            }
            Console.WriteLine($"{to}: {text}");
            return true;
        }
    }
}
""",
        (
            ("unclosed string", '("nobody")', '("nobody)'),
            ("misspelt keyword", "public bool Send", "pubic bool Send"),
            ("no return", "            return true;\n", ""),
        ),
    ),
    "Kotlin": Kind(
        "Mailer.kt",
        """class Mailer(private val sender: String) {
    fun send(to: String?, text: String): Boolean {
        val level = when {
            to == null -> 0
            text.isEmpty() -> 1
            else -> 2
        }
        println("$sender: $text")
        return level > 1
    }
}
""",
        (
            ("misspelt keyword", "fun send(", "func send("),
            ("unclosed string", '"$sender: $text"', '"$sender: $text'),
            ("missing arrow", "text.isEmpty() -> 1", "text.isEmpty() 1"),
        ),
    ),
    "Swift": Kind(
        "Mailer.swift",
        """final class Mailer {
    private let sender: String
    private var sent = 0

    init(sender: String) {
        self.sender = sender
    }

    func send(to name: String) -> Bool {
        guard !name.isEmpty else {
            return false
        }
        sent += 1
        print("\\(sender): \\(name)")
        return true
    }
}
""",
        (
            ("unclosed string", '\\(name)")', '\\(name))'),
            ("misspelt keyword", "func send(", "fucn send("),
            ("constant assigned", "private var sent = 0", "private let sent = 0"),
        ),
    ),
    "Scala": Kind(
        "Mailer.scala",
        """object Mailer {
  def level(to: Option[String], text: String): Int = {
    to match {
      case None => 0
      case Some(_) if text.isEmpty => 1
      case Some(name) =>
        println("to " + name)
        2
    }
  }
}
""",
        (
            ("unclosed string", '"to " + name', '"to + name'),
            ("missing arrow", "case None => 0", "case None 0"),
            ("misspelt keyword", "def level(", "dfe level("),
        ),
    ),
    "Lua": Kind(
        "mailer.lua",
        """local M = {}

local function level(to, text)
  if to ~= nil then
    return #text
  end
  return 0
end

function M.send(to, text)
  local count = level(to, text)
  count = count + 1
  return count
end

return M
""",
        (
            ("operator of C", "to ~= nil", "to != nil"),
            ("missing then", "if to ~= nil then", "if to ~= nil"),
            ("unknown function", "= level(to, text)", "= levle(to, text)"),
        ),
    ),
    "Perl": Kind(
        "mailer.pl",
        """#!/usr/bin/perl
use strict;
use warnings;

my %seen;

sub send_to {
    my ($name, $text) = @_;
    my $count = 0;
    if ($name eq 'nobody') {
        return 0;
    }
    $count++ unless $seen{$name}++;
    return $count;
}

print send_to('a', 'b');
""",
        (
            ("missing semicolon", "my $count = 0;", "my $count = 0"),
            ("unknown variable", "return $count;", "return $cuont;"),
            ("missing parenthesis", "if ($name eq 'nobody') {", "if ($name eq 'nobody' {"),
        ),
    ),
    "SQL": Kind(
        "migrations/7.sql",
        """BEGIN;
SET lock_timeout = '1s';
SET statement_timeout = '5s';
CREATE TABLE IF NOT EXISTS people (id bigint PRIMARY KEY, name text, email text);
INSERT INTO people (id, name, email) VALUES (1, 'Ada', 'ada@example.com');
UPDATE people SET name = 'Bob' WHERE id = 1;
COMMIT;
""",
        (
            ("missing comma", "(1, 'Ada', 'ada@example.com')", "(1, 'Ada' 'ada' 2)"),
            ("unclosed string", "name = 'Bob'", "name = 'Bob"),
            ("renamed table", "UPDATE people SET name = 'Bob' WHERE id = 1;",
             "ALTER TABLE people RENAME TO persons;"),
        ),
    ),
    "TypeScript": Kind(
        "mailer.ts",
        """type Level = "low" | "high";

export class Mailer {
  constructor(private readonly sender: string) {}

  level(text: string): Level {
    switch (text.length) {
      case 0:
        return "low";
      case 1:
        return "low";
      default:
        return "high";
    }
  }

  send(to: string): string {
    const line = `${this.sender}: ${to}`;
    return line;
  }
}
""",
        (
            ("unclosed template", ": ${to}`;", ": ${to};"),
            ("duplicate case", "case 1:", "case 0:"),
            ("unreachable", "    return line;\n", "    return line;\n    this.level(line);\n"),
        ),
    ),
    "JavaScript": Kind(
        "mailer.js",
        """export function send(to, text) {
  let count = 0;
  if (text.length === 0) {
    return count;
  }
  for (const name of to) {
    count += name.length;
  }
  return count;
}
""",
        (
            ("misspelt keyword", "  return count;\n}\n", "  retrun count;\n}\n"),
            ("assignment in condition", "text.length === 0", "count = 0"),
            ("missing parenthesis", "(text.length === 0) {", "(text.length === 0 {"),
        ),
    ),
    "CSS": Kind(
        "form.css",
        """.form {
  background: #ffeecc;
  padding: 4px 8px;
  display: flex;
}

@media (max-width: 600px) {
  .form {
    display: block;
  }
}
""",
        (
            ("missing semicolon", "padding: 4px 8px;", "padding: 4px 8px"),
            ("missing colon", "display: flex;", "display flex;"),
            ("invalid colour", "#ffeecc", "#ffeec"),
        ),
    ),
    "HTML": Kind(
        "form.html",
        """<!DOCTYPE html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <title>Form</title>
</head>
<body>
  <h1>Form</h1>
  <form action="/send" method="post">
    <label for="name">Name</label>
    <input id="name" name="name">
    <a href="/help">Help</a>
  </form>
</body>
</html>
""",
        (
            ("wrong end tag", "<h1>Form</h1>", "<h1>Form</h2>"),
            ("unclosed attribute", '<a href="/help">', '<a href="/help>'),
            ("missing end tag", "  </form>\n", ""),
        ),
    ),
    "Vue": Kind(
        "Form.vue",
        """<template>
  <form @submit.prevent="send">
    <input v-model="name">
    <p v-if="sent">Sent</p>
  </form>
</template>

<script setup lang="ts">
import { ref } from "vue";

const name = ref("");
const sent = ref(false);

function send() {
  if (name.value !== "") {
    sent.value = true;
  }
}
</script>
""",
        (
            ("missing parenthesis", 'if (name.value !== "") {', 'if (name.value !== "" {'),
            ("missing end tag", "    <p v-if=\"sent\">Sent</p>\n", "    <p v-if=\"sent\">Sent\n"),
            ("self comparison", 'name.value !== ""', "name.value !== name.value"),
        ),
    ),
    "Dockerfile": Kind(
        "Dockerfile",
        """FROM node:22-alpine AS build
WORKDIR /src
COPY package.json package-lock.json ./
RUN npm ci
EXPOSE 8080
ENTRYPOINT ["node", "server.js"]
""",
        (
            ("port out of range", "EXPOSE 8080", "EXPOSE 808080"),
            ("several sources into a file", "package-lock.json ./", "package-lock.json app"),
            ("misspelt instruction", "RUN npm ci", "RNU npm ci"),
        ),
    ),
    "compose": Kind(
        "docker-compose.yml",
        """services:
  db:
    image: postgres:17.2
    restart: always
    volumes:
      - data:/var/lib/postgresql/data
volumes:
  data: {}
""",
        (
            ("wrong indent", "    restart: always", "   restart: always"),
            ("privileged", "    restart: always", "    privileged: true"),
            ("unclosed brace", "data: {}", "data: {"),
        ),
    ),
    "YAML": Kind(
        "values.yaml",
        """defaults: &defaults
  retries: 3
  timeout: 10
service:
  <<: *defaults
  name: shop
  hosts: [a.example, b.example]
""",
        (
            ("unknown alias", "*defaults", "*default"),
            ("missing blank", "  name: shop", "  name:shop"),
            ("unclosed list", "[a.example, b.example]", "[a.example, b.example"),
        ),
    ),
    "JSON": Kind(
        "schema.json",
        """{
  "type": "object",
  "required": ["name"],
  "properties": {
    "name": {"type": "string"},
    "count": {"type": "integer"}
  }
}
""",
        (
            ("comma at the end", '"required": ["name"],', '"required": ["name",],'),
            ("single quotes", '"required"', "'required'"),
            ("missing colon", '"type": "object"', '"type" "object"'),
        ),
    ),
    "TOML": Kind(
        "deny.toml",
        """[licenses]
allow = ["MIT", "Apache-2.0"]
confidence = 0.8

[bans]
multiple = "warn"
""",
        (
            ("missing equals sign", "confidence = 0.8", "confidence 0.8"),
            ("no quotes", '"warn"', "warn"),
            ("unclosed array", '"Apache-2.0"]', '"Apache-2.0"'),
        ),
    ),
    "Terraform": Kind(
        "network.tf",
        """variable "name" {
  type = string
}

resource "aws_security_group" "web" {
  name = "web-${var.name}"

  ingress {
    from_port   = 22
    to_port     = 22
    protocol    = "tcp"
    cidr_blocks = ["10.0.0.0/8"]
  }
}
""",
        (
            ("unclosed interpolation", "${var.name}", "${var.name"),
            ("missing equals sign", "  type = string", "  type string"),
            ("open to everybody", "10.0.0.0/8", "0.0.0.0/0"),
        ),
    ),
    "proto": Kind(
        "mail.proto",
        """syntax = "proto3";

package mail.v1;

message Mail {
  string to = 1;
  string text = 2;
}

service Mailer {
  rpc Send(Mail) returns (Mail);
}
""",
        (
            ("missing brace", "  string text = 2;\n}\n", "  string text = 2;\n"),
            ("duplicate name", "string text = 2;", "string to = 2;"),
            ("missing keyword", "(Mail) returns (Mail)", "(Mail) (Mail)"),
        ),
    ),
    "GraphQL": Kind(
        "mail.graphql",
        """type Query {
  mails(to: String!): [Mail!]!
}

enum Level {
  LOW
  HIGH
}

type Mail {
  id: ID!
  level: Level
}
""",
        (
            ("missing colon", "id: ID!", "id ID!"),
            ("missing parenthesis", "mails(to: String!): ", "mails(to: String!: "),
            ("duplicate value", "  HIGH\n", "  LOW\n"),
        ),
    ),
    "Markdown": Kind(
        "GUIDE.md",
        """# Guide

You receive mail by [the list](#list).

## List

```sh
send mail
```

| name | level |
| --- | --- |
| a | low |
""",
        (
            ("misspelt word", "You receive", "You recieve"),
            ("unclosed fence", "send mail\n```\n", "send mail\n"),
            ("missing cell", "| a | low |", "| a |"),
        ),
    ),
    "shell": Kind(
        "backup.sh",
        """#!/bin/bash
set -euo pipefail
target="${1:?}"
count=0
for file in *.log; do
  cp "$file" "$target"
  count=$((count + 1))
done
if [ "$count" -gt 0 ]; then
  echo "copied $count"
fi
""",
        (
            ("missing done", "done\n", ""),
            ("missing blank", '-gt 0 ]', '-gt 0]'),
            ("blanks around the equals sign", "count=0", "count = 0"),
        ),
    ),
    "PowerShell": Kind(
        "backup.ps1",
        """param(
    [string]$Target
)

function Copy-Logs {
    param([string]$Folder)
    $count = 0
    Get-ChildItem "*.log" | ForEach-Object {
        Copy-Item $_.FullName $Folder
        $count++
    }
    if ($count -gt 0) {
        Write-Output "copied $count"
    }
}

Copy-Logs $Target
""",
        (
            ("missing parenthesis", "if ($count -gt 0) {", "if ($count -gt 0 {"),
            ("unclosed string", '"copied $count"', '"copied $count'),
            ("missing brace", "        $count++\n    }\n", "        $count++\n"),
        ),
    ),
    "Makefile": Kind(
        "Makefile",
        """CC ?= cc

ifdef DEBUG
CFLAGS += -g
endif

.PHONY: test
test: app
\t./app --test

app: app.c
\t$(CC) $(CFLAGS) -o $@ app.c
""",
        (
            ("missing endif", "endif\n", ""),
            ("unclosed reference", "$(CC) $(CFLAGS)", "$(CC) $(CFLAGS"),
            ("spaces for a tab", "\t./app --test", "        ./app --test"),
        ),
    ),
    "notebook": Kind(
        "mail.ipynb",
        """{
 "cells": [
  {
   "cell_type": "code",
   "execution_count": null,
   "id": "b2",
   "metadata": {},
   "outputs": [],
   "source": [
    "import re\\n",
    "\\n",
    "def names(text):\\n",
    "    return re.findall('[a-z]+', text)\\n",
    "\\n",
    "names('a b')"
   ]
  }
 ],
 "metadata": {"language_info": {"name": "python"}},
 "nbformat": 4,
 "nbformat_minor": 5
}
""",
        (
            ("missing indent", '"    return re.findall', '"return re.findall'),
            ("unknown module", '"import re\\n",', '"import os\\n",'),
            ("broken JSON", '"metadata": {},', '"metadata": {}'),
        ),
    ),
    "Kubernetes": Kind(
        "k8s/job.yaml",
        """apiVersion: batch/v1
kind: Job
metadata:
  name: backup
spec:
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: backup
          image: busybox:1.37
          command: ["sh", "-c", "true"]
          securityContext:
            allowPrivilegeEscalation: false
            readOnlyRootFilesystem: true
""",
        (
            ("unclosed list", '"true"]', '"true"'),
            ("rights of the host", "      restartPolicy: Never",
             "      hostPID: true\n      restartPolicy: Never"),
            ("all capabilities", "            readOnlyRootFilesystem: true",
             "            capabilities: {add: [SYS_ADMIN]}"),
        ),
    ),
}  # fmt: skip
