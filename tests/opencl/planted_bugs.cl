// Two bugs that oclgrind must find, so that check_with_oclgrind can rely on its clean reports.

// Each work-item reads its neighbor's number without a barrier.
__kernel void race(__global uint* numbers) {
  __local uint shared_numbers[8];
  shared_numbers[get_local_id(0)] = get_global_id(0);
  numbers[get_global_id(0)] = shared_numbers[(get_local_id(0) + 1) % 8];
}

// Work-items write beyond the buffer.
__kernel void overrun(__global uint* numbers) { numbers[get_global_id(0) + 8] = 1u; }
