"""Measures nDCG@10 of bm25s, SQLite FTS5 and plain tantivy on collections in the layout of BEIR."""

import json
import math
import re
import sqlite3
import sys
from collections import defaultdict
from pathlib import Path

import bm25s
import Stemmer
import tantivy

LANGUAGES = {"de": "german", "fr": "french", "es": "spanish", "it": "italian"}


def read_set(folder):
    rows = lambda name: [json.loads(line) for line in (folder / name).open()]
    labels = defaultdict(dict)
    for line in (folder / "qrels/test.tsv").open():
        query, document, grade = line.rstrip("\n").split("\t")
        if grade.isdigit():
            labels[query][document] = int(grade)
    corpus = [(row["_id"], f"{row.get('title') or ''} {row['text']}") for row in rows("corpus.jsonl")]
    queries = [(row["_id"], row["text"]) for row in rows("queries.jsonl") if row["_id"] in labels]
    return corpus, queries, labels


def ndcg(found, grades):
    gain = sum(grades.get(name, 0) / math.log2(at + 2) for at, name in enumerate(found[:10]))
    best = sorted(grades.values(), reverse=True)[:10]
    ideal = sum(grade / math.log2(at + 2) for at, grade in enumerate(best))
    return gain / ideal if ideal else 0.0


def words(text):
    return re.findall(r"\w+", text.lower())


def search_bm25s(corpus, language):
    stemmer = Stemmer.Stemmer(language)
    stop = "en" if language == "english" else None
    tokenise = lambda texts: bm25s.tokenize(texts, stopwords=stop, stemmer=stemmer, show_progress=False)
    index = bm25s.BM25()
    index.index(tokenise([text for _, text in corpus]), show_progress=False)

    def search(query):
        found, _ = index.retrieve(tokenise([query]), k=10, show_progress=False)
        return [corpus[at][0] for at in found[0]]

    return search


def search_fts5(corpus, tokeniser):
    data = sqlite3.connect(":memory:")
    data.execute(f"CREATE VIRTUAL TABLE texts USING fts5 (name UNINDEXED, text, tokenize = '{tokeniser}')")
    data.executemany("INSERT INTO texts VALUES (?, ?)", corpus)

    def search(query):
        terms = " OR ".join(f'"{word}"' for word in words(query))
        rows = data.execute("SELECT name FROM texts WHERE texts MATCH ? ORDER BY bm25(texts) LIMIT 10", (terms,))
        return [name for (name,) in rows]

    return search


def search_tantivy(corpus, tokeniser):
    schema = tantivy.SchemaBuilder()
    schema.add_text_field("name", stored=True, tokenizer_name="raw")
    schema.add_text_field("text", tokenizer_name=tokeniser)
    index = tantivy.Index(schema.build())
    writer = index.writer()
    for name, text in corpus:
        writer.add_document(tantivy.Document(name=name, text=text))
    writer.commit()
    index.reload()
    searcher = index.searcher()

    def search(query):
        parsed = index.parse_query(" ".join(words(query)), ["text"])
        return [searcher.doc(address)["name"][0] for _, address in searcher.search(parsed, 10).hits]

    return search


def main():
    for folder in map(Path, sys.argv[1:]):
        corpus, queries, labels = read_set(folder)
        language = LANGUAGES.get(folder.name.rsplit("-", 1)[-1], "english")
        contestants = {
            "bm25s, stemmed": search_bm25s(corpus, language),
            "SQLite FTS5, unicode61": search_fts5(corpus, "unicode61"),
            "SQLite FTS5, porter": search_fts5(corpus, "porter unicode61"),
            "tantivy, default": search_tantivy(corpus, "default"),
            "tantivy, en_stem": search_tantivy(corpus, "en_stem"),
        }
        for name, search in contestants.items():
            figure = sum(ndcg(search(text), labels[query]) for query, text in queries) / len(queries)
            print(f"{folder.name}: {name}: nDCG@10 {figure:.4f}")


main()
