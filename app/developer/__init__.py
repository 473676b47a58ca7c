"""What a developer may see of an exchange: everything. Behind a flag and a role of its own."""
