/** The two AssemblyScript types of the portable subset, as TypeScript sees them. */
declare type u32 = number
declare type bool = boolean
