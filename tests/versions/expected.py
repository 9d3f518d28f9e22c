"""What is known about each Warp version, without importing Warp.

`SINCE` gives the first version on which a fact holds: `ALWAYS` (1.13, the oldest supported one), `NEVER`, or the
release that changed it. For the gradient facts "holds" means: the gradient is right.
"""

Version = tuple[int, int]

ALWAYS: Version = (1, 13)
NEVER: Version = (999, 0)

SINCE: dict[str, dict[str, Version]] = {
    "copies": {
        "copy_source_not_read_again": ALWAYS,
        "copy_source_read_again": (1, 17),
        "clone_source_read_again": (1, 17),
        "assign_source_read_again": (1, 17),
    },
    "components": {
        "array_component_store": (1, 14),
        "array_struct_field_store": (1, 14),
        "array_component_add": (1, 18),
        "local_vector_component_added": ALWAYS,
        "local_vector_component_reassigned": NEVER,
        "local_matrix_entry_reassigned": NEVER,
        "local_quaternion_component_reassigned": NEVER,
    },
    "component_overwrites": {
        "overwrites_kept_by_config": ALWAYS,
        "matrix_overwrites_kept_by_config": ALWAYS,
        "overwrites_kept_by_module_option": NEVER,
    },
    "loops": {
        "loop_nested_sum": ALWAYS,
        "loop_static_up_to_max_unroll": ALWAYS,
        "loop_continue_in_a_sum": ALWAYS,
        "loop_static_above_max_unroll": NEVER,
        "loop_product": NEVER,
        "loop_recurrence": NEVER,
        "loop_while_with_counter": NEVER,
        "loop_break_in_a_sum": NEVER,
        "loop_continue_in_a_recurrence": NEVER,
        "loop_running_max": NEVER,
        "loop_sum_used_nonlinearly": NEVER,
        "kernel_local_array": NEVER,
    },
    "builtins": {
        "builtin_mod": ALWAYS,
        "builtin_frac": NEVER,
        "builtin_atomic_exch": NEVER,
        "builtin_atomic_cas": NEVER,
        "builtin_tile_max": NEVER,
        "builtin_grad_in_kernel": NEVER,
        "builtin_mesh_points_through_id": NEVER,
        "native_function_without_adjoint": NEVER,
        "custom_gradient_that_adds": ALWAYS,
        "custom_gradient_that_assigns": NEVER,
        "store_race_gives_gradient_to_one_thread": ALWAYS,
    },
    "functions": {
        "function_returning_struct": (1, 15),
        "in_place_add": ALWAYS,
        "in_place_sum_spelled_out": ALWAYS,
        "in_place_multiply": NEVER,
        "in_place_divide": NEVER,
        "in_place_write_after_read": NEVER,
    },
    "backward_off": {
        "backward_kernel_in_forward_module": (1, 18),
        "forward_only_kernel": NEVER,
    },
    "library": {
        "fem_integral": ALWAYS,
        "fem_interpolation_matrix_of_first_element": (1, 19),
        "fem_interpolation_matrix_of_mean": (1, 19),
        "sparse_matrix_vector_product": NEVER,
        "conjugate_gradient_solve": NEVER,
    },
    "slot_counters": {
        "counter_in_kernel_is_not_taken_again": ALWAYS,
        "counter_in_function_is_taken_again": ALWAYS,
    },
    "singular_points": {
        "sqrt_at_zero_is_guarded": NEVER,
        "length_at_zero_is_guarded": ALWAYS,
        "normalize_at_zero_is_guarded": ALWAYS,
        "acos_and_asin_at_one_are_guarded": ALWAYS,
        "remainder_by_a_parameter": NEVER,
    },
    "tapes": {
        "store_consumes_output_gradient": ALWAYS,
        "duplicate_launch_is_inert": ALWAYS,
        "retained_gradient_counts_twice": ALWAYS,
        "seed_that_becomes_the_gradient_is_consumed": ALWAYS,
        "seed_is_kept_where_the_output_owns_a_gradient": ALWAYS,
        "seed_is_assigned_over_the_gradient_of_the_output": ALWAYS,
        "gradients_accumulate_over_backward_passes": ALWAYS,
        "zero_on_a_fresh_tape_does_nothing": ALWAYS,
        "zero_after_backward_clears": ALWAYS,
        "tape_entered_again_keeps_old_launches": ALWAYS,
        "prebuilt_launch_is_not_recorded": ALWAYS,
        "array_sum_is_not_recorded": ALWAYS,
        "zero_of_an_accumulator_is_not_recorded": ALWAYS,
        "backward_reads_current_contents": ALWAYS,
        "numpy_of_a_gradient_is_a_view": ALWAYS,
        "indexed_array_fails_at_backward": ALWAYS,
        "map_slice_and_reshape": ALWAYS,
        "cpu_capture_defers_all_work": (1, 14),
    },
}
