# What is wrong in a file whatever the rest of the module holds. No plug-in: the folder is not there.
config {
  call_module_type    = "none"
  disabled_by_default = true
  plugin_dir          = "/var/empty/reviewgate-gh"
}

plugin "terraform" {
  enabled = true
}

rule "terraform_empty_list_equality" {
  enabled = true
}

rule "terraform_map_duplicate_keys" {
  enabled = true
}
