"""Formwork: a chat front end for assistants that call tools."""
